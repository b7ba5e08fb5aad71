// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a Table to Qt: sorted by a column, filtered by a text and by the selected range. Another Table of the same kind
// can take its place without the view losing where it stands.
#pragma once
#include <views/tables/table.h>

#include <QAbstractTableModel>

namespace arenascope::views {

class TableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Roles { kNumberRole = Qt::UserRole + 1 };
  explicit TableModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  void set_table(TablePtr table);
  const TablePtr& table() const { return table_; }
  void set_text_filter(const QString& text);
  void set_range(const RangeFilter& range);
  const RangeFilter& range() const { return range_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

  // Rows are being put elsewhere: what is current now is nobody's choice.
  bool arranging() const { return arranging_; }
  Selection selection_of(int row) const;
  int64_t id_of(int row) const;                  // -1: it has none
  int row_of(const Selection& selection) const;  // -1: not shown
  // All rows that are shown, or the given ones, with a header line.
  QString to_csv(const std::vector<int>& rows = {}) const;
  QString to_tabs(const std::vector<int>& rows) const;

 private:
  std::vector<uint32_t> arranged() const;
  void rearrange();
  void put_in_order(const std::vector<uint32_t>& rows);
  QString joined(const std::vector<int>& rows, bool csv) const;

  TablePtr table_;
  std::vector<uint32_t> rows_;  // of the table, as shown
  QString text_;
  RangeFilter range_;
  bool arranging_ = false;
  int sort_column_ = -1;
  Qt::SortOrder sort_order_ = Qt::AscendingOrder;
};

}  // namespace arenascope::views
