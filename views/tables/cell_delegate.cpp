// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/tables/cell_delegate.h>
#include <views/tables/table_model.h>

#include <QApplication>
#include <QPainter>
#include <algorithm>

namespace arenascope::views {

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QStyleOptionViewItem cell(option);
  initStyleOption(&cell, index);
  const QString text = std::exchange(cell.text, QString());
  const QStyle* style = cell.widget != nullptr ? cell.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
  const QRect room = cell.rect.adjusted(kAir, 0, -kAir, 0);
  const bool chosen = (cell.state & QStyle::State_Selected) != 0;
  if (const QVariant bar = index.data(TableModel::kBarRole); bar.isValid() && !chosen) {
    const double share = std::clamp(bar.toDouble(), 0.0, 1.0);
    QColor colour = cell.palette.color(QPalette::Highlight);
    colour.setAlpha(70);
    const int width = static_cast<int>(share * (cell.rect.width() - 4));
    painter->fillRect(QRect(cell.rect.left() + 2, cell.rect.top() + 3, width, cell.rect.height() - 6), colour);
    if (const QVariant mark = index.data(TableModel::kMarkRole); mark.isValid()) {
      const int at =
          cell.rect.left() + 1 + static_cast<int>(std::clamp(mark.toDouble(), 0.0, 1.0) * (cell.rect.width() - 4));
      painter->fillRect(QRect(at, cell.rect.top() + 2, 2, cell.rect.height() - 4), cell.palette.color(QPalette::Text));
    }
  }
  const QPalette::ColorGroup group = (cell.state & QStyle::State_Active) != 0 ? QPalette::Active : QPalette::Inactive;
  painter->setPen(cell.palette.color(group, chosen ? QPalette::HighlightedText : QPalette::Text));
  painter->setFont(cell.font);
  painter->drawText(room, static_cast<int>(cell.displayAlignment),
                    cell.fontMetrics.elidedText(text, cell.textElideMode, room.width()));
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return QStyledItemDelegate::sizeHint(option, index) + QSize(2 * kAir - 4, 0);
}

}  // namespace arenascope::views
