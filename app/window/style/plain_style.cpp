// SPDX-License-Identifier: GPL-3.0-or-later
#include "plain_style.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QPainter>
#include <QStyleOptionSlider>

namespace arenascope::app {

namespace {

// Blends `over` with this opacity on `ground`; the result is opaque.
QColor mixed(const QColor& ground, const QColor& over, double share) {
  const auto part = [share](int a, int b) { return static_cast<int>(a + (b - a) * share); };
  return {part(ground.red(), over.red()), part(ground.green(), over.green()), part(ground.blue(), over.blue())};
}

constexpr int kAir = 6;  // additional horizontal padding of column titles, in pixels

// On black backgrounds shading is invisible, so controls and fields get an outline.
void outline_on_black(const QStyleOption* option, QPainter* painter) {
  if (option->palette.color(QPalette::Window) != QColor(Qt::black)) return;
  const QColor line = mixed(Qt::black, option->palette.color(QPalette::WindowText), 0.6);
  const QRect& r = option->rect;
  painter->fillRect(QRect(r.left(), r.top(), r.width(), 1), line);
  painter->fillRect(QRect(r.left(), r.bottom(), r.width(), 1), line);
  painter->fillRect(QRect(r.left(), r.top(), 1, r.height()), line);
  painter->fillRect(QRect(r.right(), r.top(), 1, r.height()), line);
}

// An unchecked box is slightly darker than its background and invisible on dark ones.
void outline_tick(const QStyleOption* option, QPainter* painter, bool round) {
  const QColor ground = option->palette.color(QPalette::Window);
  if (ground.lightness() > 110) return;
  const bool on = (option->state & QStyle::State_Enabled) != 0;
  painter->save();
  painter->setPen(mixed(ground, option->palette.color(QPalette::WindowText), on ? 0.6 : 0.3));
  painter->setBrush(Qt::NoBrush);
  painter->setRenderHint(QPainter::Antialiasing, round);
  const QRectF inside = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
  round ? painter->drawEllipse(inside) : painter->drawRect(inside);
  painter->restore();
}

// A field within another outlined field.
bool is_inside_a_field(const QWidget* widget) {
  const QWidget* around = widget != nullptr ? widget->parentWidget() : nullptr;
  return qobject_cast<const QComboBox*>(around) != nullptr || qobject_cast<const QAbstractSpinBox*>(around) != nullptr;
}

}  // namespace

void PlainStyle::use() {
  if (qobject_cast<PlainStyle*>(QApplication::style()) == nullptr) QApplication::setStyle(new PlainStyle);
}

void PlainStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                    const QWidget* widget) const {
  const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
  if (button != nullptr && widget != nullptr && widget->objectName() == u"qt_toolbar_ext_button") {
    QStyleOptionToolButton more(*button);  // the default icon is dark on any background
    more.icon = {};
    more.text = QStringLiteral("»");
    more.toolButtonStyle = Qt::ToolButtonTextOnly;
    return QProxyStyle::drawComplexControl(control, &more, painter, widget);
  }
  const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
  if (control != CC_ScrollBar || bar == nullptr) {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (control == CC_ComboBox || control == CC_SpinBox) outline_on_black(option, painter);
    return;
  }
  const QPalette& palette = bar->palette;
  const QColor ground = palette.color(QPalette::Window), ink = palette.color(QPalette::WindowText);
  painter->fillRect(bar->rect, mixed(ground, ink, 0.04));
  const bool on = (bar->state & State_Enabled) != 0 && bar->maximum > bar->minimum;
  const bool held =
      (bar->activeSubControls & SC_ScrollBarSlider) != 0 && (bar->state & (State_Sunken | State_MouseOver));
  if (on)
    painter->fillRect(proxy()->subControlRect(control, bar, SC_ScrollBarSlider, widget).adjusted(3, 3, -3, -3),
                      mixed(ground, ink, held ? 0.6 : 0.38));
  const bool flat = bar->orientation == Qt::Horizontal;
  const bool right_to_left = bar->direction == Qt::RightToLeft;
  for (const SubControl line : {SC_ScrollBarSubLine, SC_ScrollBarAddLine}) {
    QStyleOption arrow(*bar);
    arrow.rect = proxy()->subControlRect(control, bar, line, widget).adjusted(4, 4, -4, -4);
    if (!arrow.rect.isValid()) continue;
    arrow.state = on ? State_Enabled : State_None;
    const bool back = line == SC_ScrollBarSubLine;
    proxy()->drawPrimitive(!flat                   ? (back ? PE_IndicatorArrowUp : PE_IndicatorArrowDown)
                           : back != right_to_left ? PE_IndicatorArrowLeft
                                                   : PE_IndicatorArrowRight,
                           &arrow, painter, widget);
  }
}

void PlainStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                             const QWidget* widget) const {
  const QRect& r = option->rect;
  const QColor ground = option->palette.color(QPalette::Window), ink = option->palette.color(QPalette::WindowText);
  const QColor edge = mixed(ground, ink, 0.2);
  switch (element) {
    case CE_ToolBar:
      painter->fillRect(r, ground);
      painter->fillRect(QRect(r.left(), r.bottom(), r.width(), 1), edge);
      return;
    case CE_HeaderSection:
    case CE_HeaderEmptyArea: {
      const bool pressed = element == CE_HeaderSection && (option->state & State_Sunken) != 0;
      painter->fillRect(r, mixed(ground, ink, pressed ? 0.15 : 0.04));
      painter->fillRect(QRect(r.left(), r.bottom(), r.width(), 1), edge);
      if (element == CE_HeaderSection) painter->fillRect(QRect(r.right(), r.top(), 1, r.height()), edge);
      return;
    }
    case CE_HeaderLabel: {
      QStyleOptionHeaderV2 label;  // the style does not query subElementRect() of a proxy for the label position
      if (const auto* header = qstyleoption_cast<const QStyleOptionHeaderV2*>(option))
        label = *header;
      else if (const auto* older = qstyleoption_cast<const QStyleOptionHeader*>(option))
        static_cast<QStyleOptionHeader&>(label) = *older;
      label.rect = r.adjusted(kAir, 0, -kAir, 0);
      return QProxyStyle::drawControl(element, &label, painter, widget);
    }
    default: QProxyStyle::drawControl(element, option, painter, widget);
  }
}

void PlainStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                               const QWidget* widget) const {
  QProxyStyle::drawPrimitive(element, option, painter, widget);
  if ((element == PE_PanelLineEdit && !is_inside_a_field(widget)) || element == PE_PanelButtonCommand ||
      element == PE_FrameTabWidget)
    outline_on_black(option, painter);
  if (element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck) outline_tick(option, painter, false);
  if (element == PE_IndicatorRadioButton) outline_tick(option, painter, true);
}

QSize PlainStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                   const QWidget* widget) const {
  const QSize s = QProxyStyle::sizeFromContents(type, option, size, widget);
  return type == CT_HeaderSection ? s + QSize(2 * kAir, 0) : s;
}

}  // namespace arenascope::app
