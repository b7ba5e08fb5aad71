// SPDX-License-Identifier: MIT
// Strips of result rows of a convolution, computed while they fit in the cache.
#pragma once
#include <algorithm>
#include <tuple>

#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

// A range of result rows of one image and the input rows that it needs.
struct Strip {
  int64_t out, first, in, top, bottom;  // result rows; input rows, and the padding above and below them
  auto key() const { return std::tuple(out, in, top, bottom); }
};

inline Strip strip_of(const ConvGeometry& g, int64_t row, int64_t rows) {
  const int64_t low = row * g.stride[1] - g.begin[1];
  const int64_t high = (row + rows - 1) * g.stride[1] - g.begin[1] + (g.kernel[1] - 1) * g.dilation[1] + 1;
  const int64_t first = std::max<int64_t>(low, 0), end = std::min(high, g.in[1]);
  return {rows, first, end - first, first - low, high - end};
}

}  // namespace arenascope::cpu
