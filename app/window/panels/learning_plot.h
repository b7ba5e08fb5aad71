// SPDX-License-Identifier: GPL-3.0-or-later
// A training drawn: loss and accuracy over the steps, and below them the norm of each parameter's gradient as a heat map.
#pragma once
#include <views/common/export.h>
#include <views/common/theme.h>

#include <QPointer>
#include <QWidget>

#include "app/window/document/learning.h"

namespace arenascope::app {

class LearningPlot : public QWidget {
  Q_OBJECT
 public:
  explicit LearningPlot(views::Theme* theme, QWidget* parent = nullptr);
  void set_learning(Learning* learning);
  QString summary() const;  // the same in words
  // What stands under a place: a step, and a parameter where it is in the heat map; -1: nothing.
  struct Spot {
    int step = -1, parameter = -1;
  };
  Spot spot_at(const QPoint& place) const;
  QSize sizeHint() const override { return {420, 260}; }
  QSize minimumSizeHint() const override { return {160, 100}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRect curve_area() const;
  QRect map_area() const;
  void draw_curves(QPainter& painter, const QRect& area) const;
  void draw_map(QPainter& painter, const QRect& area) const;

  views::Theme* theme_;
  QPointer<Learning> learning_;
};

}  // namespace arenascope::app
