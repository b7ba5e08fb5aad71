// SPDX-License-Identifier: MIT
// Maps the row-major index of an element of a shape to its offsets in several strided arrays. The host merges
// dimensions that are contiguous in all arrays before (lowering/shapes.h).
#pragma once
#include "engine/backends/cuda/kernels/portable.h"

namespace arenascope::cuda {

inline constexpr int kIndexerDims = 8;

// Division by a launch-time constant as a multiplication: n / d = (n·m >> 32) + n >> s, for n, d < 2^31.
struct Divider {
  uint32_t divisor = 1;
  uint32_t multiplier = 0;
  uint32_t shift = 0;
};

ARENASCOPE_DEVICE uint32_t divide(uint32_t n, const Divider& d) {
  return (high_product(n, d.multiplier) + n) >> d.shift;
}

// A shape of at most eight dimensions, innermost first, and the strides of `kArrays` arrays over it, in elements.
template <int kArrays>
struct StridedIndexer {
  int32_t rank = 0;
  int32_t wide = 0;  // more than 2^31 elements: use 64-bit division
  int64_t count = 1;
  int64_t sizes[kIndexerDims] = {};
  Divider dividers[kIndexerDims];
  int64_t strides[kArrays][kIndexerDims] = {};
};

// The index of element `i` in each dimension.
template <int kArrays>
ARENASCOPE_DEVICE void unravel(const StridedIndexer<kArrays>& s, int64_t i, int64_t (&index)[kIndexerDims]) {
  if (s.wide) {
    ARENASCOPE_UNROLL for (int d = 0; d < kIndexerDims; ++d) {
      index[d] = 0;
      if (d < s.rank) {
        const int64_t q = i / s.sizes[d];
        index[d] = i - q * s.sizes[d];
        i = q;
      }
    }
    return;
  }
  auto n = static_cast<uint32_t>(i);
  ARENASCOPE_UNROLL for (int d = 0; d < kIndexerDims; ++d) {
    index[d] = 0;
    if (d < s.rank) {
      const uint32_t q = divide(n, s.dividers[d]);
      index[d] = n - q * s.dividers[d].divisor;
      n = q;
    }
  }
}

template <int kArrays>
ARENASCOPE_DEVICE int64_t offset(const StridedIndexer<kArrays>& s, int array, const int64_t (&index)[kIndexerDims]) {
  int64_t at = 0;
  ARENASCOPE_UNROLL for (int d = 0; d < kIndexerDims; ++d) if (d < s.rank) at += index[d] * s.strides[array][d];
  return at;
}

// The index in dimension `d` of the linear index `i` over this dimension and those outside it; `i` becomes the index
// over the outer ones.
template <int kArrays>
ARENASCOPE_DEVICE int64_t take_index(const StridedIndexer<kArrays>& s, int d, int64_t& i) {
  int64_t index = i;
  if (s.wide) {
    i /= s.sizes[d];
    index -= i * s.sizes[d];
  } else if (d + 1 < s.rank) {
    const uint32_t rest = divide(static_cast<uint32_t>(i), s.dividers[d]);
    index = static_cast<uint32_t>(i) - rest * s.dividers[d].divisor;
    i = rest;
  }
  return index;
}

// The offsets of element `i` in all arrays.
template <int kArrays>
ARENASCOPE_DEVICE void offsets_of(const StridedIndexer<kArrays>& s, int64_t i, int64_t (&at)[kArrays]) {
  ARENASCOPE_UNROLL for (int a = 0; a < kArrays; ++a) at[a] = 0;
  ARENASCOPE_ROLLED for (int d = 0; d < s.rank; ++d) {
    const int64_t index = take_index(s, d, i);
    ARENASCOPE_UNROLL for (int a = 0; a < kArrays; ++a) at[a] += index * s.strides[a][d];
  }
}

// The same in one array.
template <int kArrays>
ARENASCOPE_DEVICE int64_t element_offset(const StridedIndexer<kArrays>& s, int array, int64_t i) {
  int64_t at = 0;
  ARENASCOPE_ROLLED for (int d = 0; d < s.rank; ++d) at += take_index(s, d, i) * s.strides[array][d];
  return at;
}

ARENASCOPE_DEVICE int64_t element_offset(const StridedIndexer<1>& s, int64_t i) { return element_offset(s, 0, i); }

}  // namespace arenascope::cuda
