// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a table's cells: air between a column that ends right and one that begins left, names elided in the middle, and
// behind a number a bar, where its column has one (TableModel::kBarRole).
#pragma once
#include <QStyledItemDelegate>

namespace arenascope::views {

class CellDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  static constexpr int kAir = 8;  // pixels on both sides of a text
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace arenascope::views
