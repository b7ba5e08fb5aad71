// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a wrong execution order: the bytes alive at each step, up to the node whose input does not exist yet, or beside
// those of a better order.
#pragma once
#include <arenascope/lesson/question.h>

#include <QTimer>
#include <QWidget>

class QPainter;

namespace arenascope::views {

class OrderBoard : public QWidget {
  Q_OBJECT
 public:
  explicit OrderBoard(QWidget* parent = nullptr);

  // Without animations everything is drawn at once.
  void play(lesson::PlayedOrder order);
  void clear();  // hides the board
  const lesson::PlayedOrder& order() const { return order_; }
  double played() const { return played_; }  // steps of the longer run
  bool playing() const { return timer_.isActive(); }
  // The bar of a step of the given order, or of the better one; empty: not reached yet.
  QRectF bar(bool better, size_t step) const;
  QRectF failure() const;  // the step whose input is missing; empty: none, or not reached yet
  QSize sizeHint() const override { return {320, 150}; }
  QSize minimumSizeHint() const override { return {220, 130}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  size_t steps() const;
  QRectF area(bool better) const;
  QRectF column(bool better, size_t step) const;
  Bytes top() const;  // of the axis
  void draw_run(QPainter& painter, bool better) const;
  void draw_limit(QPainter& painter, const QRectF& in) const;
  void draw_failure(QPainter& painter) const;
  void describe();

  lesson::PlayedOrder order_;
  double played_ = 0;
  QTimer timer_;
};

}  // namespace arenascope::views
