// SPDX-License-Identifier: GPL-3.0-or-later
#include "focus_ring.h"

#include <QApplication>
#include <QFocusEvent>
#include <QPainter>
#include <QTimer>

namespace arenascope::app {
namespace {

constexpr int kWide = 2;

bool by_keyboard(Qt::FocusReason reason) {
  return reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason;
}

}  // namespace

FocusRing::FocusRing(const views::Theme* theme, QWidget* window) : QWidget(window), theme_(theme), window_(window) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  hide();
  qApp->installEventFilter(this);
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event) {
  auto* widget = qobject_cast<QWidget*>(watched);
  if (widget == nullptr || widget == this) return false;
  switch (event->type()) {
    case QEvent::FocusIn:
      if (widget->window() == window_)
        surround(by_keyboard(static_cast<QFocusEvent*>(event)->reason()) ? widget : nullptr);
      break;
    case QEvent::FocusOut:
      if (widget == target_) surround(nullptr);
      break;
    case QEvent::MouseButtonPress:
      if (target_) surround(nullptr);
      break;
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide:
      // Deferred until the layout is complete.
      if (target_ && (widget == target_ || widget->isAncestorOf(target_)))
        QTimer::singleShot(0, this, [this] { update_position(); });
      break;
    default: break;
  }
  return false;
}

void FocusRing::surround(QWidget* widget) {
  target_ = widget;
  update_position();
}

void FocusRing::update_position() {
  setVisible(target_ && target_->isVisible());
  if (!isVisible()) return;
  const QRect around(target_->mapTo(window_, QPoint()), target_->size());
  setGeometry(around.adjusted(-kWide, -kWide, kWide, kWide).intersected(window_->rect()));
  raise();
}

void FocusRing::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const views::ThemeColours& colours = theme_->colours();
  const QColor ring = colours[views::Role::Work];
  painter.setPen(QPen(ring, kWide));
  painter.drawRect(QRectF(rect()).adjusted(kWide / 2.0, kWide / 2.0, -kWide / 2.0, -kWide / 2.0));
}

}  // namespace arenascope::app
