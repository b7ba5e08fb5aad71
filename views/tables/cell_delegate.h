// SPDX-License-Identifier: GPL-3.0-or-later
// Draws table cells: padding between right- and left-aligned columns, names elided in the middle, and a bar under a
// number if its column has one (TableModel::kBarRole).
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
