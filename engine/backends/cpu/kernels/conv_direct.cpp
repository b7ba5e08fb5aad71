// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/conv_algorithm.h"

#include <cstring>

#include "engine/backends/cpu/kernels/elements.h"

namespace arenascope::cpu {
namespace {

constexpr int kLanes = 16, kChannels = 4, kColumns = 4;  // size of a block of results
constexpr int64_t kWidest = 256;                         // maximum width of a padded input row

using Vector = float __attribute__((vector_size(4 * kLanes)));
using Mask = int32_t __attribute__((vector_size(4 * kLanes)));

// One loop per instruction set. Not under the thread sanitizer, which is called during ifunc resolution before it is
// initialised.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define ARENASCOPE_EACH_LEVEL __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ARENASCOPE_EACH_LEVEL
#endif

struct Block {
  const float *x, *w;          // first row of the image, kernel of the first channel
  const float* end;            // end of all kernels
  const float *first, *last;   // bounds of the input
  int64_t w_stride, c_stride;  // between kernels, between channels of results and of the input
  int64_t row;                 // result row
  int64_t channels;            // number of result channels, at most kChannels
};

// One row of results of up to kChannels channels and kColumns columns.
ARENASCOPE_EACH_LEVEL
void row_of(const ConvGeometry& g, const Block& b, float (&sums)[kChannels][kColumns]) {
  Vector all[kChannels][kColumns] = {};
  alignas(64) float line[kWidest] = {};
  const int64_t width = g.kernel[2], columns = g.out[2], margin = g.begin[2];
  // For each vector of a kernel row and each column: the lanes inside both rows.
  Mask inside[kWidest / kLanes][kColumns], own[kWidest / kLanes];
  for (int64_t k = 0; k < width; k += kLanes) {
    for (int64_t i = 0; i < kLanes; ++i) own[k / kLanes][i] = k + i < width ? -1 : 0;
    for (int o = 0; o < kColumns; ++o)
      for (int64_t i = 0; i < kLanes; ++i) {
        const int64_t place = k + i + (o < columns ? o : 0) - margin;
        inside[k / kLanes][o][i] = k + i < width && place >= 0 && place < g.in[2] ? -1 : 0;
      }
  }
  const int64_t reach = (width + kLanes - 1) / kLanes * kLanes + kColumns;
  for (int64_t c = 0; c < g.in_channels; ++c)
    for (int64_t y = 0; y < g.kernel[1]; ++y) {
      const int64_t from = b.row + y - g.begin[1];
      if (from < 0 || from >= g.in[1]) continue;
      const float* const given = b.x + c * g.channel_stride + from * g.in_stride[1];
      const float* row = given - margin;
      if (row < b.first || row + reach > b.last) {  // would read beyond its tensor
        for (int64_t i = 0; i < g.in[2]; ++i) line[margin + i] = given[i];
        row = line;
      }
      const float* const kernel = b.w + c * b.c_stride + y * width;
      for (int64_t k = 0; k < width; k += kLanes) {
        Vector taken[kColumns];
#pragma GCC unroll 4
        for (int o = 0; o < kColumns; ++o) {
          std::memcpy(&taken[o], row + k + (o < columns ? o : 0), sizeof(Vector));
          taken[o] = reinterpret_cast<Vector>(reinterpret_cast<Mask>(taken[o]) & inside[k / kLanes][o]);
        }
#pragma GCC unroll 4
        for (int m = 0; m < kChannels; ++m) {
          const float* at = kernel + k + (m < b.channels ? m : 0) * b.w_stride;
          Vector weights = {};
          if (at + kLanes <= b.end)
            std::memcpy(&weights, at, sizeof weights);
          else
            std::memcpy(&weights, at, static_cast<size_t>(b.end - at) * sizeof(float));
          weights = reinterpret_cast<Vector>(reinterpret_cast<Mask>(weights) & own[k / kLanes]);
#pragma GCC unroll 4
          for (int o = 0; o < kColumns; ++o) all[m][o] += weights * taken[o];
        }
      }
    }
  for (int m = 0; m < kChannels; ++m)
    for (int o = 0; o < kColumns; ++o) {
      float sum = 0;
      for (int i = 0; i < kLanes; ++i) sum += all[m][o][i];
      sums[m][o] = sum;
    }
}

// True if each channel's kernel is contiguous.
bool rows_in_pieces(const TensorImpl& w) {
  int64_t n = 1;
  for (int d = w.rank() - 1; d > 1; n *= w.sizes[d], --d)
    if (w.strides[d] != n) return false;
  return w.dtype == DType::F32 && w.rank() >= 3 && w.strides[0] > 0 && w.strides[1] > 0;
}

bool correlates(const TensorImpl& node, const ConvGeometry& g) {
  bool ones = g.groups == 1 && g.kernel[0] == 1 && g.in[0] == 1 && g.in_stride[2] == 1;
  for (int i = 0; i < 3; ++i) ones = ones && g.stride[i] == 1 && g.dilation[i] == 1;
  const int64_t widest = std::max(g.in[2] + g.begin[2], g.kernel[2] + g.out[2]) + 2 * kLanes;
  return ones && g.out[2] <= kColumns && g.positions <= 32 && g.kernel[2] >= 8 && g.depth() >= 1024 &&
         widest <= kWidest && node.dtype == DType::F32 && rows_in_pieces(*node.sources[1]);
}

void direct_convolution(const KernelArgs& args, const ConvGeometry& g) {
  args.need_original_weights();
  const TensorImpl& w = args.source(1);
  const int64_t blocks = (g.out_channels + kChannels - 1) / kChannels, rows = g.out[1];
  int64_t reached = 1;  // extent of the input from its first to its last element
  for (int d = 0; d < args.source(0).rank(); ++d)
    reached += (args.source(0).sizes[d] - 1) * std::max<int64_t>(args.source(0).strides[d], 0);
  const Range part = args.part(g.batch * blocks * rows);
  for (int64_t i = part.begin; i < part.end; ++i) {
    const int64_t row = i % rows, first = i / rows % blocks * kChannels, image = i / rows / blocks;
    const int64_t channels = std::min<int64_t>(kChannels, g.out_channels - first);
    const float* const kernels = w.data_as<float>();
    const int64_t last = (w.sizes[0] - 1) * w.strides[0] + (w.sizes[1] - 1) * w.strides[1] + g.taps;
    const float* const images = args.source(0).data_as<float>();
    const Block block{images + image * g.batch_stride,
                      kernels + first * w.strides[0],
                      kernels + last,
                      images,
                      images + reached,
                      w.strides[0],
                      w.strides[1],
                      row,
                      channels};
    float sums[kChannels][kColumns];
    row_of(g, block, sums);
    for (int64_t m = 0; m < channels; ++m) {
      float bias = 0;
      if (args.sources() > 2) load_elements(args.source(2), first + m, 1, &bias);
      float* const to = args.node.data_as<float>() + ((image * g.out_channels + first + m) * rows + row) * g.out[2];
      for (int64_t o = 0; o < g.out[2]; ++o) to[o] = sums[m][o] + bias;
      args.done(to - args.node.data_as<float>(), g.out[2]);
    }
  }
}

}  // namespace

const ConvAlgorithm kConvDirect{.takes = correlates, .compute = direct_convolution};

}  // namespace arenascope::cpu
