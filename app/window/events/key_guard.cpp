// SPDX-License-Identifier: GPL-3.0-or-later
#include "key_guard.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QTabBar>
#include <QTextEdit>

#include "app/window/bars/step_slider.h"

namespace arenascope::app {

bool wants_key(const QWidget* widget, int key) {
  const bool rows =
      qobject_cast<const QAbstractItemView*>(widget) != nullptr || qobject_cast<const QComboBox*>(widget) != nullptr;
  switch (key) {
    case Qt::Key_Space: return rows || qobject_cast<const QAbstractButton*>(widget) != nullptr;
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Home:
    case Qt::Key_End:
      if (qobject_cast<const QTabBar*>(widget) != nullptr || qobject_cast<const StepSlider*>(widget) != nullptr)
        return true;
      [[fallthrough]];
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
      return rows || qobject_cast<const QAbstractSpinBox*>(widget) != nullptr ||
             qobject_cast<const QAbstractSlider*>(widget) != nullptr ||
             qobject_cast<const QTextEdit*>(widget) != nullptr;
    default: return false;
  }
}

KeyGuard::KeyGuard(QWidget* window) : QObject(window), window_(window) { qApp->installEventFilter(this); }

bool KeyGuard::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  const auto* widget = qobject_cast<QWidget*>(watched);
  if (widget == nullptr || widget->window() != window_ || (key->modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier ||
      !wants_key(widget, key->key()))
    return false;
  event->accept();
  return true;
}

}  // namespace arenascope::app
