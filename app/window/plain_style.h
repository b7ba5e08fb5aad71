// SPDX-License-Identifier: GPL-3.0-or-later
// The desktop's style, with flat scroll bars, tool bars and headers: what is shaded or translucent is filled in parts by
// other threads, and painting waits for those, which is long while a model computes on every core.
#pragma once
#include <QProxyStyle>

namespace arenascope::app {

class PlainStyle : public QProxyStyle {
  Q_OBJECT
 public:
  static void use();  // by the program, from now on
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget = nullptr) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget = nullptr) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget = nullptr) const override;
  // Titles of columns have the air that their cells have, as drawn by drawControl().
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                         const QWidget* widget = nullptr) const override;
};

}  // namespace arenascope::app
