// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/conv_algorithm.h"

#include <algorithm>

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/packed.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kMaxTaps = 64;

// Weights as [taps, channels].
void turn_weights(const TensorImpl& w, const ConvGeometry& g, float* to) {
  const int64_t rows = w.strides.back(1), columns = w.strides.back();
  for (int64_t tap = 0; tap < g.taps; ++tap) {
    const float* from = w.data_as<float>() + tap / g.kernel[2] * rows + tap % g.kernel[2] * columns;
    for (int64_t c = 0; c < g.groups; ++c) *to++ = from[c * w.strides[0]];
  }
}

// The results of one row, whose windows begin in row `top` of the input.
class Row {
 public:
  Row(const ConvGeometry& g, const float* image, const float* weights, const float* bias, int64_t top)
      : g_(g), image_(image), weights_(weights), bias_(bias), top_(top) {}

  void compute(float* out) const {
    // Positions whose windows are inside the row.
    const int64_t reach = (g_.kernel[2] - 1) * g_.dilation[2], step = g_.stride[2];
    const int64_t first = std::min(g_.out[2], (g_.begin[2] + step - 1) / step);
    const int64_t fits = g_.in[2] + g_.begin[2] - reach;  // the first column beyond the last complete window
    const int64_t end = std::clamp<int64_t>(fits <= 0 ? 0 : (fits + step - 1) / step, first, g_.out[2]);
    for (int64_t i = 0; i < first; ++i) places(i, 1, out);
    if (end > first) places(first, end - first, out);
    for (int64_t i = end; i < g_.out[2]; ++i) places(i, 1, out);
  }

 private:
  // Neighbouring positions with the same taps inside the input.
  void places(int64_t first, int64_t count, float* out) const {
    int64_t from[kMaxTaps], weight[kMaxTaps], taps = 0;
    const int64_t left = first * g_.stride[2] - g_.begin[2];
    for (int64_t tap = 0; tap < g_.taps; ++tap) {
      const int64_t y = top_ + tap / g_.kernel[2] * g_.dilation[1], x = left + tap % g_.kernel[2] * g_.dilation[2];
      if (y < 0 || y >= g_.in[1] || x < 0 || x >= g_.in[2]) continue;
      from[taps] = y * g_.in_stride[1] + x * g_.in_stride[2];
      weight[taps++] = tap * g_.groups;
    }
    simd().weigh_last(out + first * g_.groups, image_, from, g_.stride[2] * g_.in_stride[2], weights_, weight, taps,
                      count, g_.groups, bias_);
  }

  const ConvGeometry& g_;
  const float *image_, *weights_, *bias_;
  int64_t top_;
};

bool supports_depthwise_nhwc(const TensorImpl& node, const ConvGeometry& g) {
  const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
  return node.rank() == 4 && g.depthwise() && g.groups > 1 && g.taps <= kMaxTaps && g.kernel[0] == 1 &&
         node.sizes.back() > 1 && x.sizes.back() > 1 && node.dtype == DType::F32 && x.dtype == DType::F32 &&
         w.dtype == DType::F32;
}

Bytes depthwise_nhwc_work(const ConvGeometry& g) { return round_to_line(4 * (g.taps + 1) * g.groups); }

void depthwise_nhwc(const KernelArgs& args, const ConvGeometry& g) {
  float* const bias = args.scratch<float>(depthwise_nhwc_work(g));
  float* const turned = bias + g.groups;
  const Range rows = args.part(g.batch * g.out[1]);
  if (rows.size() <= 0) return;
  if (args.sources() > 2)
    load_elements(args.source(2), 0, g.groups, bias);
  else
    std::fill_n(bias, g.groups, 0.0f);
  if (!args.packed) turn_weights(args.source(1), g, turned);
  const float* const weights = args.packed ? args.packed->data() : turned;
  const int64_t width = g.out[2] * g.groups;
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    const float* const image = args.source(0).data_as<float>() + row / g.out[1] * g.batch_stride;
    const int64_t top = row % g.out[1] * g.stride[1] - g.begin[1];
    Row(g, image, weights, bias, top).compute(args.node.data_as<float>() + row * width);
    args.done(row * width, width);
  }
}

}  // namespace

const ConvAlgorithm kConvDepthwiseNhwc{
    .takes = [](const TensorImpl& node,
                const ConvGeometry& g) { return node.channels_last() && supports_depthwise_nhwc(node, g); },
    .compute = depthwise_nhwc,
    .work = [](const TensorImpl&, const ConvGeometry& g, int tasks) { return tasks * depthwise_nhwc_work(g); },
    .packed_bytes = [](const TensorImpl&, const ConvGeometry& g) { return 4 * g.taps * g.groups; },
    .pack = [](const TensorImpl& node, const ConvGeometry& g,
               std::byte* to) { turn_weights(*node.sources[1], g, reinterpret_cast<float*>(to)); },
    .suits_nhwc =
        [](const TensorImpl& node, const ConvGeometry& g) {
          return node.sources[1]->has(kFlagWeight) && supports_depthwise_nhwc(node, g);
        }};

}  // namespace arenascope::cpu
