// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/conv_algorithm.h"

#include <algorithm>

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kMaxPositions = 8;
constexpr int64_t kRows = 64;  // channels at a time

// The window of one position, with all channels of the group in sequence.
void window(const ConvGeometry& g, const float* image, int64_t place, float* to) {
  const int64_t ow = place % g.out[2], oh = place / g.out[2] % g.out[1], od = place / g.out[2] / g.out[1];
  for (int64_t c = 0; c < g.in_channels; ++c)
    for (int64_t kd = 0; kd < g.kernel[0]; ++kd)
      for (int64_t kh = 0; kh < g.kernel[1]; ++kh, to += g.kernel[2]) {
        const int64_t d = od * g.stride[0] - g.begin[0] + kd * g.dilation[0],
                      h = oh * g.stride[1] - g.begin[1] + kh * g.dilation[1], w = ow * g.stride[2] - g.begin[2];
        const bool inside = d >= 0 && d < g.in[0] && h >= 0 && h < g.in[1];
        const float* const row = image + c * g.channel_stride + d * g.in_stride[0] + h * g.in_stride[1];
        for (int64_t kw = 0; kw < g.kernel[2]; ++kw) {
          const int64_t at = w + kw * g.dilation[2];
          to[kw] = inside && at >= 0 && at < g.in[2] ? row[at * g.in_stride[2]] : 0.0f;
        }
      }
}

bool has_few_outputs(const TensorImpl& node, const ConvGeometry& g) {
  constexpr int64_t kMinDepth = 32;
  const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
  return g.positions > 0 && g.positions <= kMaxPositions && g.depth() >= kMinDepth && node.dtype == DType::F32 &&
         x.dtype == DType::F32 && w.dtype == DType::F32 && w.contiguous() && node.contiguous();
}

Bytes few_outputs_share(const ConvGeometry& g) { return round_to_line(4 * g.positions * (g.depth() + kRows)); }

void conv_few_outputs(const KernelArgs& args, const ConvGeometry& g) {
  const int64_t depth = g.depth(), places = g.positions, channels = g.out_channels;
  float* const windows = args.scratch<float>(few_outputs_share(g));
  float* const sums = windows + places * depth;
  const Range part = args.part(g.batch * g.groups * channels);
  for (int64_t i = part.begin; i < part.end;) {
    const int64_t image = i / channels / g.groups, group = i / channels % g.groups, first = i % channels;
    const float* const from =
        args.source(0).data_as<float>() + image * g.batch_stride + group * g.in_channels * g.channel_stride;
    for (int64_t p = 0; p < places; ++p) window(g, from, p, windows + p * depth);
    const int64_t end = std::min(part.end, i - first + channels);
    while (i < end) {
      const int64_t rows = std::min(kRows, end - i), channel = group * channels + i % channels;
      std::fill_n(sums, places * kRows, 0.0f);
      simd().dots[0](args.source(1).data_as<float>() + channel * depth, depth, rows, windows, depth, places, depth,
                     sums, kRows);
      float* const to = args.node.data_as<float>() + i * places;
      for (int64_t r = 0; r < rows; ++r) {
        float bias = 0;
        if (args.sources() > 2) load_elements(args.source(2), channel + r, 1, &bias);
        for (int64_t p = 0; p < places; ++p) to[r * places + p] = sums[p * kRows + r] + bias;
      }
      args.done(i * places, rows * places);
      i += rows;
    }
  }
}

}  // namespace

const ConvAlgorithm kConvFewOutputs{
    .takes = has_few_outputs,
    .compute = conv_few_outputs,
    .work = [](const TensorImpl&, const ConvGeometry& g, int tasks) { return tasks * few_outputs_share(g); }};

}  // namespace arenascope::cpu
