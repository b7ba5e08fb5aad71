// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop style with flat scroll bars, toolbars and headers. Gradients and translucency are painted by other
// threads, and waiting for them is slow while a model uses all CPUs.
#pragma once
#include <QProxyStyle>

namespace arenascope::app {

class PlainStyle : public QProxyStyle {
  Q_OBJECT
 public:
  static void use();  // installs the style
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget = nullptr) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget = nullptr) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget = nullptr) const override;
  // Header sections have the same padding as their cells, see drawControl().
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                         const QWidget* widget = nullptr) const override;
};

}  // namespace arenascope::app
