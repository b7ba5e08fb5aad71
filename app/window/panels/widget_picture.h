// SPDX-License-Identifier: GPL-3.0-or-later
// The window, or a panel of it, as a picture: as it stands on the screen, and as sharp as the picture is large. Plots
// hold what they drew as pixels, so that they draw it anew at the picture's ratio.
#pragma once
#include <views/common/export.h>
#include <views/common/plot_view.h>
#include <QPainter>
#include <QWidget>

namespace arenascope::app {

class WidgetPicture : public views::Paintable {
 public:
  explicit WidgetPicture(QWidget* widget) : widget_(widget) {}
  void paint(QPainter* painter, QSize size) override {
    painter->fillRect(QRect({0, 0}, size), widget_->palette().window());
    const double ratio = painter->transform().m11() * painter->device()->devicePixelRatioF();
    const auto plots = widget_->findChildren<views::PlotView*>();
    for (views::PlotView* plot : plots) plot->set_pixel_ratio(ratio);
    widget_->render(painter, {}, {}, QWidget::DrawChildren | QWidget::DrawWindowBackground);
    for (views::PlotView* plot : plots) plot->set_pixel_ratio(widget_->devicePixelRatioF());
  }

 private:
  QWidget* widget_;
};

}  // namespace arenascope::app
