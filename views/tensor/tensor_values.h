// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a tensor as plain data: statistics, histogram, and the heat map of a two-dimensional slice. No widgets.
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
  double min = 0, max = 0, mean = 0, deviation = 0;  // statistics of the finite values; meaningless if finite() is 0
  int64_t finite() const { return count - nan - plus_inf - minus_inf; }
};
TensorStats stats_of(std::span<const float> values, const std::stop_token& stop = {});

struct Histogram {
  double lo = 0, hi = 0;  // if all values are equal: one bin around the value
  std::vector<int64_t> bins;
  int64_t most() const;
  double edge(size_t bin) const;  // the bin's lower edge; edge(bins.size()) is hi
};
Histogram histogram_of(std::span<const float> values, const TensorStats& stats, int bins,
                       const std::stop_token& stop = {});

// Values with their shape, outermost dimension first; immutable and shared.
class TensorValues {
 public:
  // If the sizes do not match, the values are truncated or the shape is replaced by {values.size()}.
  TensorValues(std::vector<float> values, std::vector<int64_t> shape);
  const std::vector<float>& values() const { return values_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t rows() const { return rows_; }        // rows of a slice: the second-to-last dimension
  int64_t columns() const { return columns_; }  // the last dimension
  int64_t slices() const { return slices_; }    // the product of the leading dimensions
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

// Heat map of a slice with at most `most` pixels per side; each pixel is the mean of its values. The colour scale
// diverges around zero if the values have both signs, otherwise it is sequential. NaN and infinities are highlighted.
QImage heat_map(const TensorValues& values, int64_t slice, const TensorStats& stats, const ThemeColours& colours,
                int most = 512);
// The colour of a value on that scale.
QRgb heat_colour(double value, const TensorStats& stats, const ThemeColours& colours);

}  // namespace arenascope::views
