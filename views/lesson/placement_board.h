// SPDX-License-Identifier: GPL-3.0-or-later
// An arena map (address against steps) in which the user places tensors by dragging, or by selecting with Tab and
// moving with the arrow keys. Each placement is reported immediately.
#pragma once
#include <arenascope/lesson/question.h>

#include <QTimer>
#include <QWidget>
#include <vector>

class QPainter;

namespace arenascope::views {

class PlacementBoard : public QWidget {
  Q_OBJECT
 public:
  explicit PlacementBoard(QWidget* parent = nullptr);

  // Resets the board; nothing is placed. `steps`: length of the execution order; `unit`: alignment of offsets; `goal`:
  // bytes of the arena not to be exceeded, drawn as a line; 0: none.
  void set_pieces(std::vector<lesson::Piece> pieces, int steps, Bytes unit, Bytes goal = 0);
  const std::vector<lesson::Piece>& pieces() const { return pieces_; }
  std::vector<lesson::Placed> placed() const;
  void place(size_t piece, Bytes offset);  // negative: moves it off the map
  size_t chosen() const { return chosen_; }
  // Plays the run up to the step at which two tensors first need the same bytes, which are then marked until the next
  // move. Without animations they are marked at once.
  void play_collision(const lesson::Verdict& collision);
  QRectF collision_rect() const;                      // the marked bytes; empty: none, or the run has not reached them
  QRect rect_of(size_t piece) const;                  // the drawn rectangle
  QPoint point_of(size_t piece, Bytes offset) const;  // the centre it would have at that offset
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
  double side() const;  // width of the tensors that are not placed
  void draw_goal(QPainter& painter) const;
  void draw_collision(QPainter& painter) const;
  void end_collision();
  QRectF map() const;
  double x_of(double step) const;
  double y_of(double offset) const;
  double scale() const;  // pixels per byte
  QRectF shape_of(size_t piece) const;
  void choose(size_t piece);

  std::vector<lesson::Piece> pieces_;
  std::vector<Bytes> offsets_;  // negative: not placed
  int steps_ = 1;
  Bytes unit_ = 1, top_ = 1;  // the highest visible address
  Bytes goal_ = 0;
  size_t chosen_ = 0;
  lesson::Verdict collision_;  // of kind Collides while one is shown
  double played_ = 0;          // step that the run has reached
  QTimer timer_;
  bool dragging_ = false;
  QPointF grabbed_, cursor_;
};

}  // namespace arenascope::views
