// SPDX-License-Identifier: GPL-3.0-or-later
// Qt model of a Table: sorted by a column, filtered by a text and the selected range. The table can be replaced by a
// newer one of the same kind without losing the view's position. Long tables are filtered and sorted on a worker.
#pragma once
#include <views/common/background.h>
#include <views/tables/table.h>

#include <QAbstractTableModel>

namespace arenascope::views {

// The filter and sort order of a table's rows.
struct Arrangement {
  QString text;  // substring of one of the row's texts
  RangeFilter range;
  int sort_column = -1;  // none
  Qt::SortOrder sort_order = Qt::AscendingOrder;
};
// A pure function; empty if stopped.
std::vector<uint32_t> arranged_rows(const Table& table, const Arrangement& arrangement, std::stop_token stop = {});

class TableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Roles { kNumberRole = Qt::UserRole + 1, kBarRole, kMarkRole };
  explicit TableModel(QObject* parent = nullptr);

  static constexpr size_t kRowsAtOnce = 4000;  // arranged synchronously; longer tables on a worker
  void set_table(TablePtr table);
  const TablePtr& table() const { return table_; }
  bool pending() const { return pending_; }  // the rows are outdated
  void set_text_filter(const QString& text);
  void set_range(const RangeFilter& range);
  const RangeFilter& range() const { return requested_.range; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

  // Rows are being moved: changes of the current row are not made by the user.
  bool arranging() const { return arranging_; }
  Selection selection_of(int row) const;
  int64_t id_of(int row) const;                  // -1: none
  int row_of(const Selection& selection) const;  // -1: not shown
  // All visible rows, or the given ones, with a header line.
  QString to_csv(const std::vector<int>& rows = {}) const;
  // A function that creates the CSV of the visible rows on any thread. Null if there is no table.
  std::function<QString()> csv_maker() const;
  QString to_tabs(const std::vector<int>& rows) const;
  QString markdown() const;  // all visible rows, with units as on the screen

 Q_SIGNALS:
  void rearranged();  // asynchronously, for a long table

 private:
  size_t shown_row(int row) const;
  void rearrange();
  void show_rows(const std::vector<uint32_t>& new_rows);
  void put_in_order(const std::vector<uint32_t>& rows);
  std::vector<uint32_t> rows_of_table(const std::vector<int>& shown) const;  // all rows if `shown` is empty

  TablePtr table_;
  std::vector<uint32_t> rows_;  // rows of the table, in display order
  Arrangement requested_;
  Background worker_;
  bool arranging_ = false;
  bool pending_ = false;
};

}  // namespace arenascope::views
