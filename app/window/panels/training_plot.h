// SPDX-License-Identifier: GPL-3.0-or-later
// Plot of a training: loss and accuracy per step, and below them gradient norms per parameter as a heat map.
#pragma once
#include <views/common/export.h>
#include <views/common/theme.h>

#include <QPointer>
#include <QWidget>

#include "app/window/document/training_job.h"

namespace arenascope::app {

class TrainingPlot : public QWidget {
  Q_OBJECT
 public:
  explicit TrainingPlot(views::Theme* theme, QWidget* parent = nullptr);
  void set_training(TrainingJob* training);
  QString summary() const;  // as text
  // Step at a position, and parameter if it is in the heat map; -1: none.
  struct Spot {
    int step = -1, parameter = -1;
  };
  Spot spot_at(const QPoint& position) const;
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
  QPointer<TrainingJob> training_;
};

}  // namespace arenascope::app
