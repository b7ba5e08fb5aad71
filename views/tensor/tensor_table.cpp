// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/tensor/tensor_table.h>

#include <QLocale>
#include <algorithm>
#include <cmath>

namespace arenascope::views {

QString format_value(double value) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  if (std::isinf(value)) return value > 0 ? QStringLiteral("+Inf") : QStringLiteral("−Inf");
  return QLocale().toString(value, 'g', 6);
}

void TensorTable::set_values(std::shared_ptr<const TensorValues> values, const TensorStats& stats) {
  beginResetModel();
  values_ = std::move(values);
  stats_ = stats;
  slice_ = 0;
  endResetModel();
}

void TensorTable::set_slice(int64_t slice) {
  if (!values_ || slice < 0 || slice >= values_->slices() || slice == slice_) return;
  slice_ = slice;
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void TensorTable::set_colours(const ThemeColours& colours) {
  colours_ = colours;
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int TensorTable::rowCount(const QModelIndex& parent) const {
  if (parent.isValid() || !values_) return 0;
  return static_cast<int>(std::min<int64_t>(values_->rows(), 1'000'000));
}

int TensorTable::columnCount(const QModelIndex& parent) const {
  if (parent.isValid() || !values_) return 0;
  return static_cast<int>(std::min<int64_t>(values_->columns(), kMaxColumns));
}

QVariant TensorTable::data(const QModelIndex& at, int role) const {
  if (!at.isValid() || !values_ || at.row() >= rowCount() || at.column() >= columnCount()) return {};
  const auto value = static_cast<double>(values_->at(slice_, at.row(), at.column()));
  switch (role) {
    case Qt::DisplayRole: return format_value(value);
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::BackgroundRole:
      return std::isfinite(value) ? QVariant() : QVariant(QBrush(QColor(heat_colour(value, stats_, colours_))));
    case Qt::ForegroundRole:
      return std::isfinite(value)
                 ? QVariant()
                 : QVariant(QBrush(ThemeColours::text_on(QColor(heat_colour(value, stats_, colours_)))));
    case Qt::ToolTipRole:
      return tr("row %1, column %2: %3").arg(at.row()).arg(at.column()).arg(QLocale().toString(value, 'g', 9));
    default: return {};
  }
}

QVariant TensorTable::headerData(int section, Qt::Orientation, int role) const {
  return role == Qt::DisplayRole ? QVariant(section) : QVariant();
}

}  // namespace arenascope::views
