// SPDX-License-Identifier: GPL-3.0-or-later
// The window, or a panel of it, as a picture: as it stands on the screen.
#pragma once
#include <QPainter>
#include <QWidget>
#include <views/common/export.h>

namespace arenascope::app {

class WidgetPicture : public views::Paintable {
 public:
  explicit WidgetPicture(QWidget* widget) : widget_(widget) {}
  void paint(QPainter* painter, QSize size) override {
    painter->fillRect(QRect({0, 0}, size), widget_->palette().window());
    widget_->render(painter, {}, {}, QWidget::DrawChildren | QWidget::DrawWindowBackground);
  }

 private:
  QWidget* widget_;
};

}  // namespace arenascope::app
