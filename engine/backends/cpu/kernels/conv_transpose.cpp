// SPDX-License-Identifier: MIT
// CONV_TRANSPOSE: a matmul of the transposed weights with the input computes the contribution of each input position
// to each tap of its window; the contributions are then scattered into the result. Chunks are output channels, so that
// no two chunks write the same position.
#include <algorithm>

#include "engine/backends/cpu/kernels/conv_transpose_nhwc.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/gemm.h"
#include "engine/backends/cpu/kernels/windows.h"
#include "engine/backends/cpu/onednn/onednn.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kPlaces = 1024, kRows = 128;  // input positions at a time, and taps of all channels

int64_t places(const ConvGeometry& g) { return std::min(kPlaces, g.in[0] * g.in[1] * g.in[2]); }

// Output channels whose taps are the rows of one matmul, so that the input is packed once for all of them.
int64_t channels_at_once(const ConvGeometry& g) {
  return std::clamp<int64_t>(kRows / g.taps, 1, std::max<int64_t>(g.out_channels, 1));
}

Bytes share(const ConvGeometry& g) {
  const int64_t rows = channels_at_once(g) * g.taps;
  return round_to_line(gemm_scratch(rows, places(g), g.in_channels)) + round_to_line(rows * places(g) * 4);
}

// The positions of an input image as columns; the depth of a column runs over its channels.
struct Places {
  const TensorImpl& source;
  const ConvGeometry& g;
  int64_t first_place, image;  // offset of the group's first channel, in elements
  Panels operator()(int64_t first, int64_t count, int64_t begin, int64_t depth, float* buffer) const {
    const LoadRow<float> load = loader<float>(source.dtype);
    const int64_t nr = simd().tile_columns, bytes = element_bytes(source.dtype);
    for (int64_t j = 0; j < count; j += nr) {
      for (int64_t k = 0; k < depth; ++k) {
        float* to = buffer + j * depth + k * nr;
        const int64_t n = std::min(nr, count - j);
        for (int64_t i = 0; i < n;) {
          const int64_t at = first_place + first + j + i, w = at % g.in[2], h = at / g.in[2] % g.in[1],
                        d = at / g.in[2] / g.in[1];
          const int64_t run = std::min(n - i, g.in[2] - w);
          const int64_t offset =
              image + (begin + k) * g.channel_stride + d * g.in_stride[0] + h * g.in_stride[1] + w * g.in_stride[2];
          load(to + i, source.data() + offset * bytes, g.in_stride[2], run);
          i += run;
        }
        std::fill(to + n, to + nr, 0.0f);
      }
    }
    return {buffer, depth * nr};
  }
};

// scatter() for adjacent windows two columns wide: each pair of taps is a piece of a result row.
void put_pairs(const ConvGeometry& g, const float* contributions, int64_t first_place, int64_t count, float bias,
               float* out) {
  for (int64_t tap = 0; tap < g.taps; tap += 2) {
    const int64_t kh = tap / 2 % g.kernel[1], kd = tap / 2 / g.kernel[1];
    const float* from = contributions + tap * count;
    for (int64_t i = 0; i < count;) {
      const int64_t at = first_place + i, w = at % g.in[2], h = at / g.in[2] % g.in[1], d = at / g.in[2] / g.in[1];
      const int64_t run = std::min(count - i, g.in[2] - w);
      float* const to = out + ((d * g.kernel[0] + kd) * g.out[1] + h * g.kernel[1] + kh) * g.out[2] + 2 * w;
      simd().twos(to, from + i, from + count + i, run);
      if (bias != 0) simd().elements.affine(to, to, 2 * run, 1, bias);
      i += run;
    }
  }
}

void scatter(const ConvGeometry& g, const float* contributions, int64_t first_place, int64_t count, float* out) {
  for (int64_t tap = 0; tap < g.taps; ++tap) {
    const int64_t kw = tap % g.kernel[2], kh = tap / g.kernel[2] % g.kernel[1], kd = tap / g.kernel[2] / g.kernel[1];
    const float* from = contributions + tap * count;
    for (int64_t i = 0; i < count;) {
      const int64_t at = first_place + i, w = at % g.in[2], h = at / g.in[2] % g.in[1], d = at / g.in[2] / g.in[1];
      const int64_t run = std::min(count - i, g.in[2] - w);
      const int64_t od = d * g.stride[0] - g.begin[0] + kd * g.dilation[0];
      const int64_t oh = h * g.stride[1] - g.begin[1] + kh * g.dilation[1];
      if (od >= 0 && od < g.out[0] && oh >= 0 && oh < g.out[1]) {
        float* row = out + (od * g.out[1] + oh) * g.out[2];
        const int64_t start = w * g.stride[2] - g.begin[2] + kw * g.dilation[2];
        for (int64_t j = 0; j < run; ++j) {
          const int64_t ow = start + j * g.stride[2];
          if (ow >= 0 && ow < g.out[2]) row[ow] += from[i + j];
        }
      }
      i += run;
    }
  }
}

// f32 results; inputs and weights of any floating-point type.
void by_product(const KernelArgs& args, const ConvGeometry& g) {
  const TensorImpl &x = args.source(0), &w = args.source(1);
  float* const scratch = args.scratch<float>(share(g));
  const int64_t most = w.strides[1] == g.taps ? channels_at_once(g) : 1;
  float* const contributions =
      scratch + round_to_line(gemm_scratch(channels_at_once(g) * g.taps, places(g), g.in_channels)) / 4;
  const int64_t all_places = g.in[0] * g.in[1] * g.in[2], step = places(g);
  const bool pairs = g.side_by_side() && g.kernel[2] == 2;
  const bool in_rows = g.in_stride[2] == 1 && (g.in[1] == 1 || g.in_stride[1] == g.in[2]) &&
                       (g.in[0] == 1 || g.in_stride[0] == g.in[1] * g.in[2]);
  const Range channels = args.part(g.batch * g.groups * g.out_channels);
  for (int64_t i = channels.begin; i < channels.end;) {
    const int64_t m = i % g.out_channels, group = i / g.out_channels % g.groups, n = i / g.out_channels / g.groups;
    const int64_t count = std::min({most, g.out_channels - m, channels.end - i});
    float* const out = args.node.data_as<float>() + i * g.positions;
    float bias[kRows] = {};
    if (args.sources() > 2) load_elements(args.source(2), group * g.out_channels + m, count, bias);
    for (int64_t c = 0; c < count && !pairs; ++c) std::fill_n(out + c * g.positions, g.positions, bias[c]);
    // Row `tap` of each channel runs through the weights [C, M/groups, kernel…] by input channel.
    const Lines lines{w.data() + (group * g.in_channels * w.strides[0] + m * w.strides[1]) * element_bytes(w.dtype),
                      w.dtype, 1, w.strides[0]};
    for (int64_t place = 0; place < all_places; place += step) {
      const int64_t columns = std::min(step, all_places - place);
      const int64_t image = n * g.batch_stride + group * g.in_channels * g.channel_stride;
      const Lines source{x.data() + (image + place) * element_bytes(x.dtype), x.dtype, 1, g.channel_stride};
      if (!in_rows ||
          !onednn_matmul({0, count * g.taps}, {0, columns}, g.in_channels, lines, source, contributions, columns))
        gemm({0, count * g.taps}, {0, columns}, g.in_channels, scratch, LeftLines{lines, gemm_row(scratch)},
             Places{x, g, place, image}, contributions, columns);
      for (int64_t c = 0; c < count; ++c) {
        const float* const from = contributions + c * g.taps * columns;
        if (pairs)
          put_pairs(g, from, place, columns, bias[c], out + c * g.positions);
        else
          scatter(g, from, place, columns, out + c * g.positions);
      }
    }
    i += count;
  }
}

// Any types and layouts, in double: each result gathers its contributions.
void plain(const KernelArgs& args, const ConvGeometry& g) {
  const TensorImpl &x = args.source(0), &w = args.source(1), &node = args.node;
  const LoadRow<double> load = loader<double>(x.dtype);
  const int64_t bytes = element_bytes(x.dtype);
  const Range range = args.part(node.element_count(), 16);
  for (int64_t i = range.begin; i < range.end; ++i) {
    const int64_t o[3] = {i / g.out[2] / g.out[1] % g.out[0], i / g.out[2] % g.out[1], i % g.out[2]};
    const int64_t channel = i / g.positions % (g.groups * g.out_channels),
                  n = i / g.positions / (g.groups * g.out_channels);
    const int64_t group = channel / g.out_channels, m = channel % g.out_channels;
    double sum = 0;
    if (args.sources() > 2) load_elements(args.source(2), channel, 1, &sum);
    for (int64_t tap = 0; tap < g.taps; ++tap) {
      const int64_t k[3] = {tap / g.kernel[2] / g.kernel[1], tap / g.kernel[2] % g.kernel[1], tap % g.kernel[2]};
      int64_t offset = n * g.batch_stride;
      bool falls = true;
      for (int d = 0; d < 3; ++d) {
        const int64_t at = o[d] + g.begin[d] - k[d] * g.dilation[d];
        falls = falls && at >= 0 && at % g.stride[d] == 0 && at / g.stride[d] < g.in[d];
        offset += at / g.stride[d] * g.in_stride[d];
      }
      for (int64_t c = group * g.in_channels; falls && c < (group + 1) * g.in_channels; ++c) {
        double a, b;
        load_elements(w, (c * g.out_channels + m) * g.taps + tap, 1, &a);
        load(&b, x.data() + (offset + c * g.channel_stride) * bytes, 1, 1);
        sum += a * b;
      }
    }
    store_elements(node, i, 1, &sum);
  }
}

// True if the taps of each channel are contiguous.
bool kernel_contiguous(const TensorImpl& w) {
  int64_t n = 1;
  for (int d = w.rank() - 1; d > 1; n *= w.sizes[d], --d)
    if (w.sizes[d] != 1 && w.strides[d] != n) return false;
  return true;
}

bool takes_product(const TensorImpl& node) { return node.dtype == DType::F32 && kernel_contiguous(*node.sources[1]); }

}  // namespace

Bytes conv_transpose_work(const TensorImpl& node, int tasks) {
  const ConvGeometry g(node);
  if (node.channels_last()) return tasks * transpose_nhwc_work(g);
  return takes_product(node) ? tasks * share(g) : 0;
}

Status conv_transpose(const KernelArgs& args) {
  const ConvGeometry g(args.node);
  if (args.node.channels_last())
    transpose_nhwc(args, g);
  else if (takes_product(args.node))
    by_product(args, g);
  else
    plain(args, g);
  return {};
}

}  // namespace arenascope::cpu
