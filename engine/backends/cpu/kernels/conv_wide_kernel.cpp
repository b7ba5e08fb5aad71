// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/conv_algorithm.h"

#include <algorithm>
#include <cstring>

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

constexpr int kLanes = 16, kChannels = 4, kMaxVectors = 2;  // size of a block of results
using Vector = float __attribute__((vector_size(4 * kLanes)));

// A row of results: the input rows under it, and the matching kernel rows.
struct Row {
  const float* lines;
  int64_t line_stride, count;  // stride and number of input rows
  const float* weights;        // the first channel's
  int64_t weight_stride;       // between result channels
  int64_t taps;                // taps per kernel row
};

// Sums of `channels` channels (at most kChannels) over kVectors vectors of columns, to sums[channel][column].
template <int kVectors>
[[gnu::always_inline]] inline void block(const Row& row, int64_t column, int channels, float* sums) {
  Vector all[kChannels][kVectors] = {};
  for (int64_t l = 0; l < row.count; ++l) {
    const float* const x = row.lines + l * row.line_stride + column;
    const float* w[kChannels];
    for (int m = 0; m < kChannels; ++m) w[m] = row.weights + (m < channels ? m : 0) * row.weight_stride + l * row.taps;
    for (int64_t t = 0; t < row.taps; ++t) {
      Vector v[kVectors];
#pragma GCC unroll 2
      for (int k = 0; k < kVectors; ++k) std::memcpy(&v[k], x + t + k * kLanes, sizeof(Vector));
#pragma GCC unroll 4
      for (int m = 0; m < kChannels; ++m) {
        const float weight = w[m][t];
#pragma GCC unroll 2
        for (int k = 0; k < kVectors; ++k) all[m][k] += v[k] * weight;
      }
    }
  }
  std::memcpy(sums, all, sizeof all);
}

using Blocks = void (*)(const Row& row, int64_t column, int channels, float* sums);

// As many sums as each instruction set has registers.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx512f")]] void wide_block(const Row& row, int64_t column, int channels, float* sums) {
  block<2>(row, column, channels, sums);
}
[[gnu::target("avx2,fma")]] void narrow_block(const Row& row, int64_t column, int channels, float* sums) {
  block<1>(row, column, channels, sums);
}
#endif
void any_block(const Row& row, int64_t column, int channels, float* sums) { block<1>(row, column, channels, sums); }

struct Way {
  Blocks blocks = any_block;
  int vectors = 1;
};

Way way() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  if (simd().lanes == 16) return {wide_block, 2};
  if (simd().lanes == 8) return {narrow_block, 1};
#endif
  return {};
}

int64_t padded(const ConvGeometry& g) {
  const int64_t step = kLanes * kMaxVectors;
  return (g.out[2] + step - 1) / step * step + g.kernel[2] - 1;
}

// The input rows under a result row, of all channels: [channel][kernel row][padded].
void gather_lines(const ConvGeometry& g, const float* image, int64_t row, float* to) {
  const int64_t width = padded(g), low = g.begin[2], count = std::min(g.in[2], width - low);
  for (int64_t c = 0; c < g.in_channels; ++c)
    for (int64_t y = 0; y < g.kernel[1]; ++y, to += width) {
      const int64_t from = row * g.stride[1] - g.begin[1] + y * g.dilation[1];
      if (from < 0 || from >= g.in[1]) {
        std::fill(to, to + width, 0.0f);
        continue;
      }
      const float* const x = image + c * g.channel_stride + from * g.in_stride[1];
      std::fill(to, to + low, 0.0f);
      if (g.in_stride[2] == 1)
        std::copy(x, x + count, to + low);
      else
        for (int64_t i = 0; i < count; ++i) to[low + i] = x[i * g.in_stride[2]];
      std::fill(to + low + count, to + width, 0.0f);
    }
}

bool has_wide_kernel(const TensorImpl& node, const ConvGeometry& g) {
  constexpr int64_t kLong = 9, kFewChannels = 16, kWide = 32, kMaxDepth = 1 << 14;
  const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
  return g.groups == 1 && g.kernel[0] == 1 && g.in[0] == 1 && g.stride[2] == 1 && g.dilation[2] == 1 &&
         g.kernel[2] >= kLong && g.kernel[1] > 1 && g.out_channels <= kFewChannels && g.out[2] >= kWide &&
         g.begin[2] >= 0 && g.depth() <= kMaxDepth && node.dtype == DType::F32 && x.dtype == DType::F32 &&
         w.dtype == DType::F32 && w.contiguous() && !node.channels_last();
}

Bytes wide_kernel_share(const ConvGeometry& g) { return round_to_line(4 * g.in_channels * g.kernel[1] * padded(g)); }

void long_rows(const KernelArgs& args, const ConvGeometry& g) {
  float* const lines = args.scratch<float>(wide_kernel_share(g));
  const Way best = way();
  const int64_t step = kLanes * best.vectors, rows = g.out[1];
  alignas(64) float sums[kChannels * kLanes * kMaxVectors];
  const Range part = args.part(g.batch * rows);
  for (int64_t i = part.begin; i < part.end; ++i) {
    const int64_t image = i / rows, row = i % rows;
    gather_lines(g, args.source(0).data_as<float>() + image * g.batch_stride, row, lines);
    for (int64_t first = 0; first < g.out_channels; first += kChannels) {
      const auto channels = static_cast<int>(std::min<int64_t>(kChannels, g.out_channels - first));
      const Row one{
          lines,     padded(g),  g.in_channels * g.kernel[1], args.source(1).data_as<float>() + first * g.depth(),
          g.depth(), g.kernel[2]};
      float* const to = args.node.data_as<float>() + ((image * g.out_channels + first) * rows + row) * g.out[2];
      for (int64_t column = 0; column < g.out[2]; column += step) {
        best.blocks(one, column, channels, sums);
        const int64_t n = std::min(step, g.out[2] - column);
        for (int m = 0; m < channels; ++m) std::copy_n(sums + m * step, n, to + m * g.positions + column);
      }
      for (int m = 0; m < channels; ++m) {
        float* const line = to + m * g.positions;
        float bias = 0;
        if (args.sources() > 2) load_elements(args.source(2), first + m, 1, &bias);
        if (args.sources() > 2) simd().elements.affine(line, line, g.out[2], 1, bias);
        args.done(line - args.node.data_as<float>(), g.out[2]);
      }
    }
  }
}

}  // namespace

const ConvAlgorithm kConvWideKernel{
    .takes = has_wide_kernel,
    .compute = long_rows,
    .work = [](const TensorImpl&, const ConvGeometry& g, int tasks) { return tasks * wide_kernel_share(g); },
    .suits_nhwc = has_wide_kernel};

}  // namespace arenascope::cpu
