// SPDX-License-Identifier: GPL-3.0-or-later
#include "panel_pointer.h"

#include <QEvent>

namespace arenascope::app {
namespace {

constexpr int kPointerWidth = 4;

}  // namespace

PanelPointer::PanelPointer(QWidget* window) : QFrame(window) {
  setObjectName(QStringLiteral("lesson_pointer"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFrameShape(QFrame::Box);
  setLineWidth(kPointerWidth);
}

void PanelPointer::point_at(QWidget* target, const QColor& colour) {
  if (target_ != nullptr) target_->removeEventFilter(this);
  target_ = target;
  target->installEventFilter(this);
  QPalette changed = palette();
  changed.setColor(QPalette::WindowText, colour);
  setPalette(changed);
  follow();
  show();
}

void PanelPointer::follow() {
  setGeometry(QRect(target_->mapTo(parentWidget(), QPoint(0, 0)), target_->size()));
  raise();
}

bool PanelPointer::eventFilter(QObject* watched, QEvent* event) {
  if (watched == target_ && (event->type() == QEvent::Move || event->type() == QEvent::Resize)) follow();
  return QFrame::eventFilter(watched, event);
}

}  // namespace arenascope::app
