// SPDX-License-Identifier: GPL-3.0-or-later
// Table model of one two-dimensional slice of a tensor; cells are formatted on demand.
#pragma once
#include <views/tensor/tensor_values.h>

#include <QAbstractTableModel>

namespace arenascope::views {

class TensorTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  static constexpr int kMaxColumns = 4096;  // enough for scrolling; item views count in ints

  explicit TensorTable(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  void set_values(std::shared_ptr<const TensorValues> values, const TensorStats& stats);
  void set_slice(int64_t slice);
  void set_colours(const ThemeColours& colours);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::shared_ptr<const TensorValues> values_;
  TensorStats stats_;
  ThemeColours colours_ = ThemeColours::light();
  int64_t slice_ = 0;
};

// Six significant digits; NaN and infinities by name.
QString format_value(double value);

}  // namespace arenascope::views
