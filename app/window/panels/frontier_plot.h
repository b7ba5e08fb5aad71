// SPDX-License-Identifier: GPL-3.0-or-later
// Plot of the memory frontier (bytes against operations). Each point is a plan that can be run. A click selects one;
// the slider of the panel does so by keyboard.
#pragma once
#include <views/common/theme.h>

#include <QWidget>

#include "app/window/document/training_job.h"

namespace arenascope::app {

class FrontierPlot : public QWidget {
  Q_OBJECT
 public:
  explicit FrontierPlot(views::Theme* theme, QWidget* parent = nullptr);
  void set_points(std::vector<FrontierPoint> points);
  void set_chosen(int point);
  QPointF position_of(int point) const;
  int point_at(const QPointF& position) const;  // the nearest point within reach; -1: none
  static QString text_of(const FrontierPoint& point);
  QSize sizeHint() const override { return {420, 200}; }
  QSize minimumSizeHint() const override { return {160, 90}; }

 Q_SIGNALS:
  void chosen(int point);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRectF area() const;
  double max_bytes() const;
  double max_work() const;
  void draw_axes(QPainter& painter) const;
  void draw_points(QPainter& painter) const;

  views::Theme* theme_;
  std::vector<FrontierPoint> points_;
  int chosen_ = 0;
};

}  // namespace arenascope::app
