// SPDX-License-Identifier: GPL-3.0-or-later
// A tensor's values as plain data: statistics, histogram, and a two-dimensional slice as a picture. No widgets.
#pragma once
#include <views/common/theme.h>

#include <QImage>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace arenascope::views {

struct TensorStats {
  int64_t count = 0;
  int64_t nan = 0, plus_inf = 0, minus_inf = 0, zeros = 0;
  double min = 0, max = 0, mean = 0, deviation = 0;  // of the finite ones; 0 where there are none
  int64_t finite() const { return count - nan - plus_inf - minus_inf; }
};
TensorStats stats_of(std::span<const float> values, const std::stop_token& stop = {});

struct Histogram {
  double lo = 0, hi = 0;  // all equal: one bin around the value
  std::vector<int64_t> bins;
  int64_t most() const;
  double edge(size_t bin) const;  // the bin's lower edge; edge(bins.size()) is hi
};
Histogram histogram_of(std::span<const float> values, const TensorStats& stats, int bins,
                       const std::stop_token& stop = {});

// Values with their shape, outermost first; immutable and shared.
class TensorValues {
 public:
  // The values are cut or the shape replaced by {values.size()} where they do not fit.
  TensorValues(std::vector<float> values, std::vector<int64_t> shape);
  const std::vector<float>& values() const { return values_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t rows() const { return rows_; }        // of a slice: the last but one dimension
  int64_t columns() const { return columns_; }  // the last dimension
  int64_t slices() const { return slices_; }    // the product of those before
  float at(int64_t slice, int64_t row, int64_t column) const {
    return values_[static_cast<size_t>((slice * rows_ + row) * columns_ + column)];
  }
  // The leading indices of a slice: "[0, 3, :, :]".
  QString slice_name(int64_t slice) const;

 private:
  std::vector<float> values_;
  std::vector<int64_t> shape_;
  int64_t rows_ = 1, columns_ = 0, slices_ = 0;
};

// A slice as a picture of at most `most` pixels a side (the mean of those that share one): a scale that diverges
// around zero where the values have both signs, else one that rises. NaN and infinities stand out.
QImage heat_map(const TensorValues& values, int64_t slice, const TensorStats& stats, const ThemeColours& colours,
                int most = 512);
// The colour of a value on that scale.
QRgb heat_colour(double value, const TensorStats& stats, const ThemeColours& colours);

}  // namespace arenascope::views
