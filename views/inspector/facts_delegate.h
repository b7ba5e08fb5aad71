// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the facts of the inspector: titles, headings of sections, wrapped values, links and bars.
#pragma once
#include <views/common/theme.h>
#include <views/inspector/inspector_model.h>
#include <QStyledItemDelegate>
#include <QTextLayout>

class QTreeView;

namespace arenascope::views {

class FactsDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  FactsDelegate(QTreeView* view, Theme* theme) : QStyledItemDelegate(nullptr), view_(view), theme_(theme) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

  // Text of a cell with its font and colours, wrapped at a width.
  struct Cell {
    QTextLayout layout;
    double height = 0;
  };
  void lay_out(Cell& cell, const QModelIndex& index, const QFont& font, int width) const;

 private:
  const InspectorFact* fact_of(const QModelIndex& index) const;
  int width_of(const QModelIndex& index) const;
  QFont font_of(const QModelIndex& index, const QFont& font) const;
  int top_of(const QModelIndex& index) const;  // space above the text

  QTreeView* view_;
  Theme* theme_;
};

}  // namespace arenascope::views
