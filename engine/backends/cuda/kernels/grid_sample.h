// SPDX-License-Identifier: MIT
// Images sampled at fractional positions given by a grid in [-1, 1]. A thread computes a position's weights once, in
// double, and applies them to several channels.
#pragma once
#include <math.h>

#include "engine/backends/cuda/kernels/numbers.h"
#include "engine/backends/cuda/kernels/strided_indexer.h"

namespace arenascope::cuda {

struct GridSampleWork {
  StridedIndexer<2>
      indexer;  // [N, channel groups, d, h, w]; operand 0: first channel of the group in the result, 1: position in the grid
  char* out = nullptr;
  const char* image = nullptr;
  const char* grid = nullptr;
  DType out_type = DType::F32, image_type = DType::F32, grid_type = DType::F32;
  int64_t sizes[3] = {1, 1, 1};  // the image's d, h, w
  int64_t strides[3] = {};
  int64_t image_batch = 0, image_channel = 0, out_channel = 0, grid_coordinate = 0;
  int64_t channels = 0, together = 1;  // in total, and per group
  int32_t spatial = 2;                 // dimensions; missing outer ones have size 1
  int32_t mode = 0, padding = 0;       // as ResizeMode and GridPadding
  bool corners = false;                // -1 and 1 are the centres of the first and last element, not their outer edges
};

// Up to four elements of one dimension and their weights; index -1: zero.
struct GridTaps {
  int64_t at[4];
  double weight[4];
  int count;
};

// Reflects x at the borders into [low, high).
ARENASCOPE_DEVICE double reflected(double x, double low, double high) {
  const double range = high - low;
  if (!(range > 0)) return low;
  if (x >= low && x <= high) return x;
  const double over = x < low ? low - x : x - high, reflections = floor(over / range),
               rest = over - reflections * range;
  return (x < low) == (fmod(reflections, 2.0) == 0) ? low + rest : high - rest;
}

ARENASCOPE_DEVICE int64_t grid_element(const GridSampleWork& p, double x, double low, double high, double last) {
  if (x >= 0 && x <= last) return static_cast<int64_t>(x);
  if (p.padding == 0 || !(x == x)) return -1;
  if (p.padding == 2) x = trunc(reflected(x, low, high));
  return static_cast<int64_t>(x > 0 ? (x < last ? x : last) : 0);
}

ARENASCOPE_CALLED GridTaps grid_taps(const GridSampleWork& p, int64_t size, double coordinate) {
  const auto length = static_cast<double>(size);
  const double last = length - 1, low = p.corners ? 0 : -0.5, high = p.corners ? last : last + 0.5;
  double x = p.corners ? (coordinate + 1) / 2 * last : ((coordinate + 1) * length - 1) / 2;
  if (p.mode == 0) x = rint(x);
  if (x < low || x > high) {
    if (p.padding == 1) x = x < 0 ? 0 : x > last ? last : x;
    if (p.padding == 2) x = reflected(x, low, high);
  }
  GridTaps taps{{}, {1, 0, 0, 0}, 1};
  if (p.mode == 0) {
    taps.at[0] = grid_element(p, rint(x), low, high, last);
    return taps;
  }
  const double first = floor(x), t = x - first;
  taps.count = p.mode == 1 ? 2 : 4;
  for (int k = 0; k < taps.count; ++k) taps.at[k] = grid_element(p, first + (p.mode == 1 ? k : k - 1), low, high, last);
  if (p.mode == 1) {
    taps.weight[0] = 1 - t;
    taps.weight[1] = t;
    return taps;
  }
  for (int k = 0; k < 4; ++k) {  // cubic convolution with a = -3/4
    const double s = fabs(t - (k - 1));
    taps.weight[k] = s <= 1 ? (1.25 * s - 2.25) * s * s + 1 : ((-0.75 * s + 3.75) * s - 6) * s + 3;
  }
  return taps;
}

template <class N>
ARENASCOPE_DEVICE void grid_sample(const GridSampleWork& p) {
  for (int64_t i = block() * threads() + thread(); i < p.indexer.count; i += blocks() * threads()) {
    int64_t index[kIndexerDims];
    unravel(p.indexer, i, index);
    const int64_t first = index[3] * p.together;
    const int64_t end = first + p.together < p.channels ? first + p.together : p.channels;
    const int64_t element_offset = offset(p.indexer, 1, index);
    int64_t to = offset(p.indexer, 0, index), from = index[4] * p.image_batch + first * p.image_channel;
    GridTaps taps[3];
    for (int d = 0; d < 3; ++d) {
      taps[d] = {{}, {1, 0, 0, 0}, 1};
      // The grid stores the last dimension first.
      if (d >= 3 - p.spatial)
        taps[d] =
            grid_taps(p, p.sizes[d], get<double>(p.grid_type, p.grid, element_offset + (2 - d) * p.grid_coordinate));
    }
    for (int64_t c = first; c < end; ++c, from += p.image_channel, to += p.out_channel) {
      N sum = 0;
      for (int a = 0; a < taps[0].count; ++a)
        for (int b = 0; b < taps[1].count; ++b)
          for (int e = 0; e < taps[2].count; ++e) {
            const int64_t x = taps[0].at[a], y = taps[1].at[b], z = taps[2].at[e];
            if (x < 0 || y < 0 || z < 0) continue;
            const double weight = taps[0].weight[a] * taps[1].weight[b] * taps[2].weight[e];
            sum += static_cast<N>(weight) *
                   get_one<N>(p.image_type, p.image, from + x * p.strides[0] + y * p.strides[1] + z * p.strides[2]);
          }
      put_one(p.out_type, p.out, to, sum);
    }
  }
}

ARENASCOPE_KERNEL(grid_sample_f32, GridSampleWork) { grid_sample<float>(p); }
ARENASCOPE_KERNEL(grid_sample_f64, GridSampleWork) { grid_sample<double>(p); }

}  // namespace arenascope::cuda
