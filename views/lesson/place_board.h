// SPDX-License-Identifier: GPL-3.0-or-later
// An arena map in which tensors are put where they are to lie: address against steps. Dragged with the mouse, or chosen
// with Tab and moved with the arrow keys; where one comes to lie is told at once.
#pragma once
#include <arenascope/lesson/question.h>

#include <QWidget>
#include <vector>

namespace arenascope::views {

class PlaceBoard : public QWidget {
  Q_OBJECT
 public:
  explicit PlaceBoard(QWidget* parent = nullptr);

  // Nothing is placed. `steps`: of the whole order; `unit`: what offsets are multiples of.
  void set_pieces(std::vector<lesson::Piece> pieces, int steps, Bytes unit);
  const std::vector<lesson::Piece>& pieces() const { return pieces_; }
  std::vector<lesson::Placed> placed() const;
  void place(size_t piece, Bytes offset);  // below 0: back beside the map
  size_t chosen() const { return chosen_; }
  QRect rect_of(size_t piece) const;                  // where it is drawn
  QPoint point_of(size_t piece, Bytes offset) const;  // where its middle would be at that offset
  QSize sizeHint() const override { return {320, 260}; }
  QSize minimumSizeHint() const override { return {220, 200}; }

 Q_SIGNALS:
  void moved(size_t piece);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  QRectF map() const;
  double x_of(double step) const;
  double y_of(double offset) const;
  double scale() const;  // pixels a byte
  QRectF shape_of(size_t piece) const;
  void choose(size_t piece);

  std::vector<lesson::Piece> pieces_;
  std::vector<Bytes> offsets_;  // below 0: not placed
  int steps_ = 1;
  Bytes unit_ = 1, top_ = 1;  // the highest address shown
  size_t chosen_ = 0;
  bool dragging_ = false;
  QPointF grabbed_, hand_;
};

}  // namespace arenascope::views
