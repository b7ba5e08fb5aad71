// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/lesson/order_list.h>

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>

namespace arenascope::views {
namespace {

constexpr int kMaxShown = 12;

// The number of rows by which a key moves the selected row; 0: another key.
int lines_of(const QKeyEvent& key) {
  if (!key.modifiers().testFlag(Qt::ControlModifier)) return 0;
  return key.key() == Qt::Key_Up ? -1 : key.key() == Qt::Key_Down ? 1 : 0;
}

}  // namespace

OrderList::OrderList(QWidget* parent) : QListWidget(parent) {
  setDragDropMode(QAbstractItemView::NoDragDrop);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
}

void OrderList::set_lines(const QStringList& lines) {
  clear();
  addItems(lines);
  setCurrentRow(0);
  updateGeometry();
}

QSize OrderList::sizeHint() const {
  const int line = std::max(sizeHintForRow(0), fontMetrics().height());
  return {fontMetrics().averageCharWidth() * 16, line * std::min(count(), kMaxShown) + 2 * frameWidth()};
}

void OrderList::move_line(int from, int to) {
  if (from < 0 || from == to || to < 0 || to >= count()) return;
  insertItem(to, takeItem(from));
  setCurrentRow(to);
}

// Overrides the window's shortcuts for Ctrl and arrow keys.
bool OrderList::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && lines_of(*static_cast<QKeyEvent*>(event)) != 0) {
    event->accept();
    return true;
  }
  return QListWidget::event(event);
}

void OrderList::keyPressEvent(QKeyEvent* event) {
  const int by = lines_of(*event);
  if (by == 0) return QListWidget::keyPressEvent(event);
  move_line(currentRow(), currentRow() + by);
}

void OrderList::mousePressEvent(QMouseEvent* event) {
  QListWidget::mousePressEvent(event);
  dragging_ = event->button() == Qt::LeftButton && itemAt(event->pos()) != nullptr;
}

void OrderList::mouseMoveEvent(QMouseEvent* event) {
  if (!dragging_ || count() == 0) return;
  const int first = visualItemRect(item(0)).top(), last = visualItemRect(item(count() - 1)).center().y();
  const QListWidgetItem* under = itemAt(4, std::clamp(event->pos().y(), first, last));
  if (under != nullptr) move_line(currentRow(), row(under));
}

void OrderList::mouseReleaseEvent(QMouseEvent* event) {
  dragging_ = false;
  QListWidget::mouseReleaseEvent(event);
}

}  // namespace arenascope::views
