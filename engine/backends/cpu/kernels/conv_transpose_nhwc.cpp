// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/conv_transpose_nhwc.h"

#include <algorithm>

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/packed.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kSourceFloats = int64_t{1} << 17;  // input rows that stay in L2

// The columns of a row of taps, output channels innermost, in panels of three vectors.
struct Tiles {
  const ConvGeometry& g;
  const int64_t columns = g.kernel[2] * g.out_channels, lanes = simd().lanes, wide = 3 * lanes;

  explicit Tiles(const ConvGeometry& geometry) : g(geometry) {}
  int64_t panel_floats() const { return std::min(wide, columns) * g.in_channels; }
  // fn(row of taps, first column, columns, offset of the panel)
  template <class Fn>
  void each_panel(Fn fn) const {
    for (int64_t kh = 0; kh < g.kernel[1]; ++kh)
      for (int64_t first = 0; first < columns; first += wide)
        fn(kh, first, std::min(wide, columns - first), (kh * columns + first) * g.in_channels);
  }
  // Weights are [C, M, kernel rows, kernel columns].
  void pack(const TensorImpl& w, int64_t kh, int64_t first, int64_t count, float* to) const {
    const int last = w.rank() - 1;
    const int64_t kw_stride = g.kernel[2] == w.sizes[last] ? w.strides[last] : w.strides[last - 1];
    const int64_t kh_stride = g.kernel[2] == w.sizes[last] ? w.strides[last - 1] : 0;
    for (int64_t c = 0; c < g.in_channels; ++c)
      for (int64_t i = first; i < first + count; ++i)
        *to++ = w.data_as<float>()[c * w.strides[0] + i % g.out_channels * w.strides[1] + kh * kh_stride +
                                   i / g.out_channels * kw_stride];
  }
};

}  // namespace

bool transposes_channels_last(const TensorImpl& node, const ConvGeometry& g) {
  const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
  if (node.rank() != 4 || node.dtype != DType::F32 || x.dtype != DType::F32 || w.dtype != DType::F32) return false;
  return g.side_by_side() && w.has(kFlagWeight) && g.groups == 1 && g.in_channels > 0 &&
         g.kernel[2] * g.out_channels % simd().lanes == 0;
}

Bytes packed_tiles_bytes(const TensorImpl& node) {
  const ConvGeometry g(node);
  return node.channels_last() && transposes_channels_last(node, g) ? 4 * g.in_channels * g.taps * g.out_channels : 0;
}

void pack_tiles(const TensorImpl& node, float* to) {
  const ConvGeometry g(node);
  const Tiles tiles(g);
  tiles.each_panel([&](int64_t kh, int64_t first, int64_t count, int64_t place) {
    tiles.pack(*node.sources[1], kh, first, count, to + place);
  });
}

Bytes transpose_nhwc_work(const ConvGeometry& g) {
  return round_to_line(4 * (g.out_channels + Tiles(g).panel_floats()));
}

void transpose_nhwc(const KernelArgs& args, const ConvGeometry& g) {
  const Tiles tiles(g);
  const bool biased = args.sources() > 2;
  float* const bias = args.scratch<float>(transpose_nhwc_work(g));
  float* const own = bias + g.out_channels;
  if (biased) load_elements(args.source(2), 0, g.out_channels, bias);
  const int64_t row_floats = g.out[2] * g.out_channels;
  const int64_t some = args.packed ? std::max<int64_t>(kSourceFloats / std::max<int64_t>(g.in_channels * g.in[2], 1), 1)
                                   : g.in[1];  // panels that are packed here are packed only once
  const Range rows = args.part(g.batch * g.in[1]);
  for (int64_t row = rows.begin; row < rows.end;) {
    const int64_t image = row / g.in[1], first = row % g.in[1];
    const int64_t count = std::min({some, rows.end - row, g.in[1] - first});
    const float* const x = args.source(0).data_as<float>() + image * g.batch_stride + first * g.in_stride[1];
    float* const out = args.node.data_as<float>() + (image * g.out[1] + first * g.kernel[1]) * row_floats;
    for (int64_t i = 0; biased && i < count * g.kernel[1] * g.out[2]; ++i)
      std::copy(bias, bias + g.out_channels, out + i * g.out_channels);
    tiles.each_panel([&](int64_t kh, int64_t column, int64_t columns, int64_t place) {
      if (!args.packed) tiles.pack(args.source(1), kh, column, columns, own);
      const float* const panel = args.packed ? args.packed->data() + place : own;
      for (int64_t r = 0; r < count; ++r)
        simd().strip(g.in_channels, x + r * g.in_stride[1], g.in_stride[2], g.channel_stride, g.in[2], panel, columns,
                     static_cast<int>(columns / tiles.lanes), out + (r * g.kernel[1] + kh) * row_floats + column,
                     tiles.columns, biased);
    });
    row += count;
  }
}

}  // namespace arenascope::cpu
