// SPDX-License-Identifier: GPL-3.0-or-later
// Renders the window or a panel to an image at the resolution of the image. Plots cache pixels, so they are redrawn
// at that device pixel ratio.
#pragma once
#include <views/common/export.h>
#include <views/common/plot_view.h>
#include <QImage>
#include <QPainter>
#include <QWidget>

namespace arenascope::app {

class WidgetImage : public views::Paintable {
 public:
  explicit WidgetImage(QWidget* widget) : widget_(widget) {}
  void paint(QPainter* painter, QSize size) override {
    double ratio = painter->transform().m11() * painter->device()->devicePixelRatioF();
    // Vector formats contain it as a high-resolution image.
    if (painter->testRenderHint(QPainter::LosslessImageRendering)) ratio *= 2;
    // QPicture loses clipping, so the widget is rendered as pixels.
    QImage image((QSizeF(size) * ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
    QPainter onto(&image);
    onto.scale(ratio, ratio);
    onto.fillRect(QRect({0, 0}, size), widget_->palette().window());
    const auto plots = widget_->findChildren<views::PlotView*>();
    for (views::PlotView* plot : plots) plot->set_pixel_ratio(ratio);
    widget_->render(&onto, {}, {}, QWidget::DrawChildren | QWidget::DrawWindowBackground);
    for (views::PlotView* plot : plots) plot->set_pixel_ratio(widget_->devicePixelRatioF());
    onto.end();
    painter->drawImage(QRectF({0, 0}, size), image);
  }

 private:
  QWidget* widget_;
};

}  // namespace arenascope::app
