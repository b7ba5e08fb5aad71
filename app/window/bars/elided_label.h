// SPDX-License-Identifier: GPL-3.0-or-later
// A single-line label that is elided to its width; text() remains complete.
#pragma once
#include <QLabel>
#include <QPainter>

namespace arenascope::app {

class ElidedLabel : public QLabel {
 public:
  using QLabel::QLabel;

 protected:
  void paintEvent(QPaintEvent* event) override {
    const QRect space = contentsRect();
    if (fontMetrics().horizontalAdvance(text()) <= space.width()) return QLabel::paintEvent(event);
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(space, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text(), Qt::ElideRight, space.width()));
  }
};

}  // namespace arenascope::app
