// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/csv_line.h>
#include <views/tables/table_model.h>

#include <algorithm>
#include <numeric>

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

// Rows are exchanged in place, and added or taken at the end: the view keeps its scroll position while a run goes on.
void TableModel::rearrange() {
  if (!table_) return;
  std::vector<uint32_t> rows = arranged();
  const int before = static_cast<int>(rows_.size()), now = static_cast<int>(rows.size());
  if (now < before) {
    beginRemoveRows({}, now, before - 1);
    rows_.resize(rows.size());
    endRemoveRows();
  } else if (now > before) {
    beginInsertRows({}, before, now - 1);
    rows_.insert(rows_.end(), rows.begin() + before, rows.end());
    endInsertRows();
  }
  rows_ = std::move(rows);
  const int common = std::min(before, now);
  if (common > 0) Q_EMIT dataChanged(index(0, 0), index(common - 1, columnCount() - 1));
}

void TableModel::set_text_filter(const QString& text) {
  if (text == text_) return;
  text_ = text;
  rearrange();
}

void TableModel::set_range(const RangeFilter& range) {
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
