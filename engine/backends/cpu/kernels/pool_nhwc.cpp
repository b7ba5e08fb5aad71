// SPDX-License-Identifier: MIT
// A row of results takes two steps: the rows that its windows cover are combined in place, then the columns of each
// window, a range of channels at a time. A window over the whole image sums its channels in parallel.
#include "engine/backends/cpu/kernels/pool_nhwc.h"

#include <algorithm>
#include <limits>

#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kSome = 16;  // number of values summed in float

struct Geometry {
  int64_t channels, in[2], out[2], kernel[2], stride[2], dilation[2], begin[2], end[2];
  bool max, include_pad;

  explicit Geometry(const TensorImpl& node) : channels(node.sizes[1]), max(node.op == Op::MaxPool) {
    const auto p = node.params.get<PoolParams>();
    include_pad = p.count_include_pad;
    for (int i = 0; i < 2; ++i) {
      in[i] = node.sources[0]->sizes[i + 2], out[i] = node.sizes[i + 2];
      kernel[i] = p.kernel[i], stride[i] = p.strides[i], dilation[i] = p.dilations[i], begin[i] = p.pads_begin[i],
      end[i] = p.pads_end[i];
    }
  }
  bool global() const { return !max && out[0] * out[1] == 1; }
  int64_t row() const { return in[1] * channels; }
  // Taps of window o in dimension i that are in [low, high).
  Range taps(int i, int64_t o, int64_t low, int64_t high) const {
    const int64_t at = o * stride[i] - begin[i], d = dilation[i];
    const int64_t first = at >= low ? 0 : (low - at + d - 1) / d, last = at >= high ? 0 : (high - at + d - 1) / d;
    return {std::min(first, kernel[i]), std::max(std::min(first, kernel[i]), std::min(last, kernel[i]))};
  }
  Range inside(int i, int64_t o) const { return taps(i, o, 0, in[i]); }
  // Divisor of an average in this dimension.
  int64_t counted(int i, int64_t o) const {
    return taps(i, o, include_pad ? -begin[i] : 0, in[i] + (include_pad ? end[i] : 0)).size();
  }
};

// Averages of an image's channels [channels.begin, channels.end).
void whole(const Geometry& g, const float* image, Range channels, float* out, double* totals) {
  const int64_t n = channels.size();
  const Range rows = g.inside(0, 0), columns = g.inside(1, 0);
  std::fill(totals, totals + n, 0.0);
  for (int64_t r = rows.begin; r < rows.end; ++r)
    for (int64_t c = columns.begin; c < columns.end; c += kSome) {
      const float* x = image + (r * g.dilation[0] - g.begin[0]) * g.row() +
                       (c * g.dilation[1] - g.begin[1]) * g.channels + channels.begin;
      const int64_t count = std::min(kSome, columns.end - c), step = g.dilation[1] * g.channels;
      simd().copy(out, x, n);
      for (int64_t k = 1; k < count; ++k) simd().elements.add(out, out, x + k * step, n);
      for (int64_t i = 0; i < n; ++i) totals[i] += static_cast<double>(out[i]);
    }
  const int64_t count = g.counted(0, 0) * g.counted(1, 0);
  for (int64_t i = 0; i < n; ++i)
    out[i] = count == 0 ? 0.0f : static_cast<float>(totals[i] / static_cast<double>(count));
}

}  // namespace

bool pools_channels_last(const TensorImpl& node) {
  return node.dtype == DType::F32 && node.sources[0]->dtype == DType::F32 &&
         node.params.get<PoolParams>().spatial == 2 && node.sources[0]->channels_last() &&
         (node.channels_last() || !has_two_layouts(node.sizes.span()));
}

Bytes pool_nhwc_work(const TensorImpl& node, int tasks) {
  const Geometry g(node);
  return tasks * round_to_line(g.global() ? 8 * g.channels : 4 * g.row());
}

void pool_nhwc(const KernelArgs& args) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const Geometry g(node);
  const int64_t channels = g.channels, batch_stride = source.strides[0];
  std::byte* const scratch = args.scratch<std::byte>(pool_nhwc_work(node, 1));
  if (g.global()) {
    const Range part = args.part(channels, 16);
    for (int64_t n = 0; part.size() > 0 && n < node.sizes[0]; ++n)
      whole(g, source.data_as<float>() + n * batch_stride, part, node.data_as<float>() + n * channels + part.begin,
            reinterpret_cast<double*>(scratch));
    return;
  }
  const auto combine = g.max ? simd().elements.max : simd().elements.add;
  const Range rows = args.part(node.sizes[0] * g.out[0]);
  for (int64_t r = rows.begin; r < rows.end; ++r) {
    const int64_t y = r % g.out[0];
    const float* const image = source.data_as<float>() + r / g.out[0] * batch_stride;
    float* const out = node.data_as<float>() + r * g.out[1] * channels;
    const Range tall = g.inside(0, y);
    const auto line = [&](int64_t k) { return image + (y * g.stride[0] - g.begin[0] + k * g.dilation[0]) * g.row(); };
    const float* down = tall.size() > 0 ? line(tall.begin) : nullptr;
    if (tall.size() > 1) {
      auto* const rows_down = reinterpret_cast<float*>(scratch);
      combine(rows_down, down, line(tall.begin + 1), g.row());
      for (int64_t k = tall.begin + 2; k < tall.end; ++k) combine(rows_down, rows_down, line(k), g.row());
      down = rows_down;
    }
    for (int64_t x = 0; x < g.out[1]; ++x) {
      float* const to = out + x * channels;
      const Range wide = g.inside(1, x);
      if (!down || wide.size() <= 0) {
        std::fill(to, to + channels, g.max ? -std::numeric_limits<float>::infinity() : 0.0f);
        continue;
      }
      const float* from = down + (x * g.stride[1] - g.begin[1] + wide.begin * g.dilation[1]) * channels;
      const int64_t step = g.dilation[1] * channels;
      if (wide.size() == 1)
        simd().copy(to, from, channels);
      else
        combine(to, from, from + step, channels);
      for (int64_t k = 2; k < wide.size(); ++k) combine(to, to, from + k * step, channels);
      if (g.max) continue;
      const int64_t count = g.counted(0, y) * g.counted(1, x);
      simd().elements.affine(to, to, channels, count == 0 ? 0.0f : 1 / static_cast<float>(count), 0);
    }
  }
}

}  // namespace arenascope::cpu
