// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/csv_line.h>
#include <views/tables/table_model.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace arenascope::views {

namespace {

struct Arranged {
  TablePtr table;
  std::vector<uint32_t> rows;
};

bool holds_text(const Table& table, size_t row, const QString& text) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [&](const Column& c) { return c.text(row).contains(text, Qt::CaseInsensitive); });
}

QString as_csv(const Table& table, const std::vector<uint32_t>& rows) {
  QStringList fields;
  for (const Column& column : table.columns) {
    const QString unit = saved_unit(column.unit);
    fields << (unit.isEmpty() ? column.title : QStringLiteral("%1 (%2)").arg(column.title, unit));
  }
  QString out = csv_line(std::exchange(fields, {}));
  for (const uint32_t row : rows) {
    if (row >= table.rows) continue;
    for (const Column& column : table.columns) {
      const QString cell = column.text(row);  // empty: no value
      fields << (column.number && !cell.isEmpty() ? QString::number(column.number(row), 'g', 15) : cell);
    }
    out += csv_line(std::exchange(fields, {}));
  }
  return out;
}

template <class Key>
std::vector<uint32_t> sorted_by(const std::vector<uint32_t>& rows, const std::vector<Key>& keys, bool down) {
  std::vector<uint32_t> index(rows.size());
  std::iota(index.begin(), index.end(), 0u);
  std::stable_sort(index.begin(), index.end(),
                   [&](uint32_t a, uint32_t b) { return down ? keys[b] < keys[a] : keys[a] < keys[b]; });
  std::vector<uint32_t> sorted;
  sorted.reserve(rows.size());
  for (uint32_t i : index) sorted.push_back(rows[i]);
  return sorted;
}

}  // namespace

std::vector<uint32_t> arranged_rows(const Table& table, const Arrangement& request, std::stop_token stop) {
  std::vector<uint32_t> rows;
  rows.reserve(table.rows);
  for (size_t r = 0; r < table.rows; ++r) {
    if (r % 1024 == 0 && stop.stop_requested()) return {};
    if (!request.range.empty() && table.inside && !table.inside(r, request.range)) continue;
    if (!request.text.isEmpty() && !holds_text(table, r, request.text)) continue;
    rows.push_back(static_cast<uint32_t>(r));
  }
  if (request.sort_column < 0 || static_cast<size_t>(request.sort_column) >= table.columns.size()) return rows;
  const Column& column = table.columns[static_cast<size_t>(request.sort_column)];
  const bool down = request.sort_order == Qt::DescendingOrder;
  if (column.number) {
    std::vector<double> keys;
    for (uint32_t r : rows) keys.push_back(column.number(r));
    return sorted_by(rows, keys, down);
  }
  std::vector<QString> keys;
  for (uint32_t r : rows) {
    if (keys.size() % 1024 == 0 && stop.stop_requested()) return {};
    keys.push_back(column.text(r).toLower());
  }
  return sorted_by(rows, keys, down);
}

TableModel::TableModel(QObject* parent) : QAbstractTableModel(parent) {
  connect(&worker_, &Background::done, this, [this](const Background::Result& result) {
    const auto arranged = std::static_pointer_cast<const Arranged>(result);
    if (arranged->table != table_) return;
    pending_ = false;
    show_rows(arranged->rows);
    Q_EMIT rearranged();
  });
}

void TableModel::set_table(TablePtr table) {
  const bool same_kind = table_ && table && table_->columns.size() == table->columns.size() &&
                         std::equal(table->columns.begin(), table->columns.end(), table_->columns.begin(),
                                    [](const Column& a, const Column& b) { return a.title == b.title; });
  if (same_kind) {
    table_ = std::move(table);
    return rearrange();
  }
  beginResetModel();
  table_ = std::move(table);
  rows_.clear();
  pending_ = false;
  endResetModel();
  rearrange();
}

void TableModel::rearrange() {
  worker_.cancel();
  if (!table_) return;
  pending_ = table_->rows > kRowsAtOnce;
  if (!pending_) return show_rows(arranged_rows(*table_, requested_));
  worker_.request([table = table_, request = requested_](std::stop_token stop) -> Background::Result {
    auto rows = arranged_rows(*table, request, stop);
    return stop.stop_requested() ? nullptr : std::make_shared<Arranged>(Arranged{table, std::move(rows)});
  });
}

// Moves rows that are no longer shown to the end and removes them there, appends new rows, then sorts all. Persistent
// indices (selection, current row) follow their row.
void TableModel::show_rows(const std::vector<uint32_t>& new_rows) {
  arranging_ = true;
  const int before = static_cast<int>(rows_.size()), now = static_cast<int>(new_rows.size());
  std::vector<bool> stays(table_->rows, false), was(table_->rows, false);
  for (uint32_t row : new_rows) stays[row] = true;
  std::vector<uint32_t> first, gone;
  for (uint32_t row : rows_) {
    const bool known = row < was.size();
    if (known) was[row] = true;
    (known && stays[row] ? first : gone).push_back(row);
  }
  const size_t kept = first.size();
  if (!gone.empty()) {
    first.insert(first.end(), gone.begin(), gone.end());
    put_in_order(first);
    beginRemoveRows({}, static_cast<int>(kept), before - 1);
    rows_.resize(kept);
    endRemoveRows();
  }
  if (new_rows.size() > kept) {
    beginInsertRows({}, static_cast<int>(kept), now - 1);
    for (uint32_t row : new_rows)
      if (!was[row]) rows_.push_back(row);
    endInsertRows();
  }
  put_in_order(new_rows);
  arranging_ = false;
  if (now > 0) Q_EMIT dataChanged(index(0, 0), index(now - 1, columnCount() - 1));
}

// The same rows, in another order.
void TableModel::put_in_order(const std::vector<uint32_t>& rows) {
  if (rows == rows_) return;
  Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
  const QModelIndexList held = persistentIndexList();
  std::unordered_map<uint32_t, int> place;
  if (!held.isEmpty())
    for (size_t i = 0; i < rows.size(); ++i) place.emplace(rows[i], static_cast<int>(i));
  QModelIndexList moved;
  for (const QModelIndex& h : held)
    moved << createIndex(place.at(rows_[static_cast<size_t>(h.row())]), h.column(), h.internalId());
  rows_ = rows;
  changePersistentIndexList(held, moved);
  Q_EMIT layoutChanged({}, VerticalSortHint);
}

void TableModel::set_text_filter(const QString& text) {
  if (text == requested_.text) return;
  requested_.text = text;
  rearrange();
}

void TableModel::set_range(const RangeFilter& range) {
  if (range == requested_.range) return;
  requested_.range = range;
  rearrange();
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || !table_ ? 0 : static_cast<int>(table_->columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || static_cast<size_t>(index.row()) >= rows_.size()) return {};
  const size_t row = rows_[static_cast<size_t>(index.row())];
  if (row >= table_->rows) return {};  // an index of the previous table, until its rows are exchanged
  const Column& column = table_->columns[static_cast<size_t>(index.column())];
  switch (role) {
    case Qt::DisplayRole: return column.text(row);
    case Qt::ToolTipRole:
      if (table_->details) return table_->details(row);
      return column.text(row);
    case Qt::TextAlignmentRole:
      return QVariant(column.number ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
    case kBarRole: return column.bar ? QVariant(column.bar(row)) : QVariant();
    case kMarkRole: return column.mark ? QVariant(column.mark(row)) : QVariant();
    case kNumberRole: return column.number ? QVariant(column.number(row)) : QVariant();
    default: return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || !table_ || section < 0 || static_cast<size_t>(section) >= table_->columns.size())
    return {};
  const Column& column = table_->columns[static_cast<size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;  // each cell has its unit, with the prefix that suits the number
  if (role == Qt::ToolTipRole) return column.tip.isEmpty() ? column.title : column.tip;
  if (role == Qt::TextAlignmentRole)
    return QVariant((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

void TableModel::sort(int column, Qt::SortOrder order) {
  requested_.sort_column = column;
  requested_.sort_order = order;
  rearrange();
}

// The table row at a display row; SIZE_MAX while the rows of the previous table are being exchanged.
size_t TableModel::shown_row(int row) const {
  if (!table_ || row < 0 || static_cast<size_t>(row) >= rows_.size()) return SIZE_MAX;
  const size_t shown = rows_[static_cast<size_t>(row)];
  return shown < table_->rows ? shown : SIZE_MAX;
}

Selection TableModel::selection_of(int row) const {
  const size_t shown = shown_row(row);
  return shown != SIZE_MAX && table_->selection ? table_->selection(shown) : Selection();
}

int64_t TableModel::id_of(int row) const {
  const size_t shown = shown_row(row);
  return shown != SIZE_MAX && table_->id ? table_->id(shown) : -1;
}

int TableModel::row_of(const Selection& selection) const {
  if (!table_ || !table_->selection || selection.empty()) return -1;
  const auto is_selected = [&](size_t row) {
    return table_->is_selected ? table_->is_selected(row, selection) : table_->selection(row) == selection;
  };
  for (size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i] < table_->rows && is_selected(rows_[i])) return static_cast<int>(i);
  return -1;
}

std::vector<uint32_t> TableModel::rows_of_table(const std::vector<int>& shown) const {
  if (shown.empty()) return pending_ ? arranged_rows(*table_, requested_) : rows_;
  std::vector<uint32_t> rows;
  for (int row : shown)
    if (shown_row(row) != SIZE_MAX) rows.push_back(rows_[static_cast<size_t>(row)]);
  return rows;
}

QString TableModel::to_csv(const std::vector<int>& rows) const {
  return table_ ? as_csv(*table_, rows_of_table(rows)) : QString();
}

QString TableModel::to_tabs(const std::vector<int>& rows) const {
  QString out;
  if (!table_) return out;
  const auto add = [&](const std::function<QString(const Column&)>& field) {
    for (size_t c = 0; c < table_->columns.size(); ++c)
      out += (c > 0 ? QStringLiteral("\t") : QString()) +
             field(table_->columns[c]).replace(u'\t', u' ').replace(u'\n', u' ');
    out += u'\n';
  };
  add([](const Column& column) { return column.title; });
  for (const uint32_t row : rows_of_table(rows))
    if (row < table_->rows) add([row](const Column& column) { return column.text(row); });
  return out;
}

std::function<QString()> TableModel::csv_maker() const {
  if (!table_) return nullptr;
  if (pending_)
    return [table = table_, request = requested_] { return as_csv(*table, arranged_rows(*table, request)); };
  return [table = table_, rows = rows_] { return as_csv(*table, rows); };
}

QString TableModel::markdown() const {
  if (!table_) return {};
  const auto line = [](const QStringList& cells) {
    return QStringLiteral("| ") + cells.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
  };
  const auto escaped = [](QString cell) {
    return cell.replace(QLatin1Char('|'), QStringLiteral("\\|")).replace(QLatin1Char('\n'), QLatin1Char(' '));
  };
  QStringList titles, rules;
  for (const Column& column : table_->columns) {
    titles << escaped(column.title);
    rules << (column.number ? QStringLiteral("--:") : QStringLiteral("---"));
  }
  QString out = line(titles) + line(rules);
  for (const uint32_t row : rows_of_table({})) {
    QStringList cells;
    for (const Column& column : table_->columns) cells << escaped(column.text(row));
    out += line(cells);
  }
  return out;
}

}  // namespace arenascope::views
