// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/csv_line.h>
#include <views/tables/table_model.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace arenascope::views {

void TableModel::set_table(TablePtr table) {
  const bool same_kind = table_ && table && table_->columns.size() == table->columns.size();
  if (!same_kind) {
    beginResetModel();
    table_ = std::move(table);
    rows_.clear();
    if (table_) rows_ = arranged();
    endResetModel();
    return;
  }
  table_ = std::move(table);
  rearrange();
}

std::vector<uint32_t> TableModel::arranged() const {
  std::vector<uint32_t> rows;
  rows.reserve(table_->rows);
  for (size_t r = 0; r < table_->rows; ++r) {
    if (!range_.empty() && table_->inside && !table_->inside(r, range_)) continue;
    if (!text_.isEmpty() && std::none_of(table_->columns.begin(), table_->columns.end(), [&](const Column& c) {
          return c.text(r).contains(text_, Qt::CaseInsensitive);
        }))
      continue;
    rows.push_back(static_cast<uint32_t>(r));
  }
  if (sort_column_ < 0 || static_cast<size_t>(sort_column_) >= table_->columns.size()) return rows;
  const Column& column = table_->columns[static_cast<size_t>(sort_column_)];
  const bool down = sort_order_ == Qt::DescendingOrder;
  auto arrange = [&](const auto& keys) {
    std::vector<uint32_t> index(rows.size());
    std::iota(index.begin(), index.end(), 0u);
    std::stable_sort(index.begin(), index.end(),
                     [&](uint32_t a, uint32_t b) { return down ? keys[b] < keys[a] : keys[a] < keys[b]; });
    std::vector<uint32_t> sorted;
    sorted.reserve(rows.size());
    for (uint32_t i : index) sorted.push_back(rows[i]);
    return sorted;
  };
  if (column.number) {
    std::vector<double> keys;
    for (uint32_t r : rows) keys.push_back(column.number(r));
    return arrange(keys);
  }
  std::vector<QString> keys;
  for (uint32_t r : rows) keys.push_back(column.text(r).toLower());
  return arrange(keys);
}

// What is no longer shown goes to the end and is taken there, what is new is added there, and then all is put in order:
// whoever holds on to a row (what is selected, what is current) keeps that row, wherever it stands now.
void TableModel::rearrange() {
  if (!table_) return;
  arranging_ = true;
  const std::vector<uint32_t> wanted = arranged();
  const int before = static_cast<int>(rows_.size()), now = static_cast<int>(wanted.size());
  std::vector<bool> stays(table_->rows, false), was(table_->rows, false);
  for (uint32_t row : wanted) stays[row] = true;
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
  if (wanted.size() > kept) {
    beginInsertRows({}, static_cast<int>(kept), now - 1);
    for (uint32_t row : wanted)
      if (!was[row]) rows_.push_back(row);
    endInsertRows();
  }
  put_in_order(wanted);
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
  if (text == text_) return;
  text_ = text;
  rearrange();
}

void TableModel::set_range(const RangeFilter& range) {
  if (range == range_) return;
  range_ = range;
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
  if (row >= table_->rows) return {};  // of the table before, until its rows are exchanged
  const Column& column = table_->columns[static_cast<size_t>(index.column())];
  switch (role) {
    case Qt::DisplayRole: return column.text(row);
    case Qt::ToolTipRole:
      if (table_->details) return table_->details(row);
      return column.text(row);
    case Qt::TextAlignmentRole:
      return QVariant(column.number ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
    case kNumberRole: return column.number ? QVariant(column.number(row)) : QVariant();
    default: return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || !table_ || section < 0 || static_cast<size_t>(section) >= table_->columns.size())
    return {};
  const Column& column = table_->columns[static_cast<size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  if (role == Qt::ToolTipRole) return column.tip.isEmpty() ? column.title : column.tip;
  if (role == Qt::TextAlignmentRole)
    return QVariant((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

void TableModel::sort(int column, Qt::SortOrder order) {
  sort_column_ = column;
  sort_order_ = order;
  rearrange();
}

Selection TableModel::selection_of(int row) const {
  if (!table_ || !table_->selection || row < 0 || static_cast<size_t>(row) >= rows_.size()) return {};
  return table_->selection(rows_[static_cast<size_t>(row)]);
}

int64_t TableModel::id_of(int row) const {
  if (!table_ || !table_->id || row < 0 || static_cast<size_t>(row) >= rows_.size()) return -1;
  return table_->id(rows_[static_cast<size_t>(row)]);
}

int TableModel::row_of(const Selection& selection) const {
  if (!table_ || !table_->selection || selection.empty()) return -1;
  for (size_t i = 0; i < rows_.size(); ++i)
    if (table_->selection(rows_[i]) == selection) return static_cast<int>(i);
  return -1;
}

QString TableModel::joined(const std::vector<int>& rows, bool csv) const {
  if (!table_) return {};
  QString out;
  auto say = [&](QStringList fields) {
    if (csv) {
      out += csv_line(std::move(fields));
      return;
    }
    for (QString& field : fields) field.replace(u'\t', u' ').replace(u'\n', u' ');
    out += fields.join(u'\t') + u'\n';
  };
  QStringList titles;
  for (const Column& column : table_->columns) titles << column.title;
  say(std::move(titles));
  auto add = [&](uint32_t row) {
    QStringList fields;
    for (const Column& column : table_->columns)
      fields << (csv && column.number ? QString::number(column.number(row), 'g', 15) : column.text(row));
    say(std::move(fields));
  };
  if (rows.empty())
    for (uint32_t row : rows_) add(row);
  for (int row : rows)
    if (row >= 0 && static_cast<size_t>(row) < rows_.size()) add(rows_[static_cast<size_t>(row)]);
  return out;
}

QString TableModel::to_csv(const std::vector<int>& rows) const { return joined(rows, true); }
QString TableModel::to_tabs(const std::vector<int>& rows) const { return joined(rows, false); }

}  // namespace arenascope::views
