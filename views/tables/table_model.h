// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a Table to Qt: sorted by a column, filtered by a text and by the selected range. Another Table of the same kind
// can take its place without the view losing where it stands. A long table is filtered and sorted on a worker.
#pragma once
#include <views/common/background.h>
#include <views/tables/table.h>

#include <QAbstractTableModel>

namespace arenascope::views {

// Which rows of a table are shown, in which order.
struct Arrangement {
  QString text;  // that one of a row's texts holds
  RangeFilter range;
  int sort_column = -1;  // none
  Qt::SortOrder sort_order = Qt::AscendingOrder;
};
// A pure function; empty where it was stopped.
std::vector<uint32_t> arranged_rows(const Table& table, const Arrangement& arrangement, std::stop_token stop = {});

class TableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Roles { kNumberRole = Qt::UserRole + 1, kBarRole, kMarkRole };
  explicit TableModel(QObject* parent = nullptr);

  static constexpr size_t kRowsAtOnce = 4000;  // are arranged before the call returns; more of them a moment later
  void set_table(TablePtr table);
  const TablePtr& table() const { return table_; }
  bool pending() const { return pending_; }  // rows are still those from before
  void set_text_filter(const QString& text);
  void set_range(const RangeFilter& range);
  const RangeFilter& range() const { return wish_.range; }

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
  // What makes that text of all rows that are shown now; it can be called on any thread. Null: there is no table.
  std::function<QString()> csv_maker() const;
  QString to_tabs(const std::vector<int>& rows) const;

 Q_SIGNALS:
  void rearranged();  // a moment later, of a long table

 private:
  size_t shown_row(int row) const;
  void rearrange();
  void show_rows(const std::vector<uint32_t>& wanted);
  void put_in_order(const std::vector<uint32_t>& rows);
  std::vector<uint32_t> rows_of_table(const std::vector<int>& shown) const;  // all for none

  TablePtr table_;
  std::vector<uint32_t> rows_;  // of the table, as shown
  Arrangement wish_;
  Background worker_;
  bool arranging_ = false;
  bool pending_ = false;
};

}  // namespace arenascope::views
