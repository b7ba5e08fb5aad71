// SPDX-License-Identifier: GPL-3.0-or-later
// The window, or a panel of it, as a picture: as it stands on the screen, and as sharp as the picture is large. Plots
// hold what they drew as pixels, so that they draw it anew at the picture's ratio.
#pragma once
#include <views/common/export.h>
#include <views/common/plot_view.h>
#include <QImage>
#include <QPainter>
#include <QWidget>

namespace arenascope::app {

class WidgetPicture : public views::Paintable {
 public:
  explicit WidgetPicture(QWidget* widget) : widget_(widget) {}
  void paint(QPainter* painter, QSize size) override {
    double ratio = painter->transform().m11() * painter->device()->devicePixelRatioF();
    // In a format without pixels it is an image, which wants to be sharp.
    if (painter->testRenderHint(QPainter::LosslessImageRendering)) ratio *= 2;
    // Strokes that are kept (QPicture) lose where parts of a widget are cut off: it is kept as pixels.
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
