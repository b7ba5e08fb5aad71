// SPDX-License-Identifier: MIT
// CONV as a packed GEMM of the weights with windows of the input, which are packed directly from the image, block by
// block; by oneDNN; and by a plain loop for all other types and layouts.
#include <algorithm>
#include <cstring>
#include <vector>

#include <arenascope/tensor/alignment.h>

#include "engine/backends/cpu/kernels/conv_algorithm.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/gemm.h"
#include "engine/backends/cpu/onednn/onednn.h"
#include "engine/backends/cpu/packed.h"

namespace arenascope::cpu {
namespace {

bool all_floats(const TensorImpl& node) { return node.dtype == DType::F32 && node.sources[1]->dtype == DType::F32; }

// Columns [first, first + count) of the input's windows at depth [begin, begin + depth), as panels.
struct WindowPanels {
  const ConvGeometry& g;
  const float* image;  // the group's first channel

  Panels operator()(int64_t first, int64_t count, int64_t begin, int64_t depth, float* buffer) const {
    const int64_t nr = simd().tile_columns;
    for (int64_t j = 0; j < count; j += nr)
      panel(first + j, std::min(nr, count - j), nr, begin, depth, buffer + j * depth);
    return {buffer, depth * nr};
  }

 private:
  // A run of results in one row.
  struct Run {
    int64_t column, length, d, h, w;  // start of its first window in the input
  };

  void panel(int64_t first, int64_t count, int64_t width, int64_t begin, int64_t depth, float* to) const {
    Run runs[kWidestTile];
    int run_count = 0;
    for (int64_t j = 0; j < count;) {
      const int64_t at = first + j, ow = at % g.out[2], oh = at / g.out[2] % g.out[1], od = at / g.out[2] / g.out[1];
      const int64_t length = std::min(count - j, g.out[2] - ow);
      runs[run_count++] = {j, length, od * g.stride[0] - g.begin[0], oh * g.stride[1] - g.begin[1],
                           ow * g.stride[2] - g.begin[2]};
      j += length;
    }
    int64_t tap = begin % g.taps, channel = begin / g.taps;
    for (int64_t k = 0; k < depth; ++k, to += width) {
      const int64_t kw = tap % g.kernel[2], kh = tap / g.kernel[2] % g.kernel[1], kd = tap / g.kernel[2] / g.kernel[1];
      for (int r = 0; r < run_count; ++r) {
        const Run& run = runs[r];
        float* out = to + run.column;
        const int64_t d = run.d + kd * g.dilation[0], h = run.h + kh * g.dilation[1], w = run.w + kw * g.dilation[2];
        if (d < 0 || d >= g.in[0] || h < 0 || h >= g.in[1]) {
          std::fill(out, out + run.length, 0.0f);
          continue;
        }
        const float* from =
            image + channel * g.channel_stride + d * g.in_stride[0] + h * g.in_stride[1] + w * g.in_stride[2];
        const int64_t s = g.stride[2];
        const int64_t low = std::min(run.length, w < 0 ? (-w + s - 1) / s : 0);
        const int64_t high = std::clamp<int64_t>((g.in[2] - w + s - 1) / s, low, run.length);
        const int64_t step = s * g.in_stride[2];
        std::fill(out, out + low, 0.0f);
        if (step == 1)
          std::copy(from + low, from + high, out + low);
        else
          for (int64_t i = low; i < high; ++i) out[i] = from[i * step];
        std::fill(out + high, out + run.length, 0.0f);
      }
      std::fill(to + count, to + width, 0.0f);
      if (++tap == g.taps) {
        tap = 0;
        ++channel;
      }
    }
  }
};

float bias_of(const KernelArgs& args, int64_t channel) {
  if (args.sources() < 3) return 0;
  const TensorImpl& bias = args.source(2);
  float value;
  loader<float>(bias.dtype)(&value, bias.data() + channel * bias.strides[0] * element_bytes(bias.dtype), 1, 1);
  return value;
}

void add_bias(const KernelArgs& args, int64_t channel, float* row, int64_t n) {
  if (args.sources() > 2) simd().elements.affine(row, row, n, 1, bias_of(args, channel));
}

// True if the weights of each output channel are a row.
bool has_weight_rows(const TensorImpl& w) {
  int64_t n = 1;
  for (int d = w.rank() - 1; d > 0; n *= w.sizes[d], --d)
    if (w.sizes[d] != 1 && w.strides[d] != n) return false;
  return true;
}

Lines weight_lines(const TensorImpl& w, int64_t first_channel) {
  return {w.data() + first_channel * w.strides[0] * 4, DType::F32, w.strides[0], 1};
}

// True if it is a plain matmul of the weights with the input's channels.
bool is_plain_product(const ConvGeometry& g) {
  bool plain = g.taps == 1 && (g.in_stride[2] == 1 || g.in[2] == 1);
  for (int i = 0; i < 3; ++i)
    plain = plain && g.in[i] == g.out[i] && g.begin[i] == 0 && (g.stride[i] == 1 || g.out[i] == 1);
  int64_t run = g.in[2];
  for (int i = 1; i >= 0; run *= g.in[i], --i) plain = plain && (g.in[i] == 1 || g.in_stride[i] == run);
  return plain;
}

constexpr int kMinLanes = 8;  // with narrower vectors oneDNN is faster

// out[rows, columns] = weights · places, both read in place. The last vector of columns may overlap the one before it,
// since results do not depend on the other columns of a vector. False: not computed.
bool multiply_strips(const ConvGeometry& g, Range rows, Range columns, const Lines& weights, const float* places,
                     float* out) {
  const int64_t lanes = simd().lanes;
  if (lanes < kMinLanes || columns.size() < lanes || g.depth() == 0) return false;
  const float* const from = reinterpret_cast<const float*>(weights.data) + rows.begin * weights.line_stride;
  for (int64_t column = columns.begin; column < columns.end;) {
    column = std::min(column, columns.end - lanes);
    const int64_t vectors = std::min<int64_t>((columns.end - column) / lanes, 3);
    simd().strip(g.depth(), from, weights.line_stride, 1, rows.size(), places + column, g.channel_stride,
                 static_cast<int>(vectors), out + rows.begin * g.positions + column, g.positions, false);
    column += vectors * lanes;
  }
  return true;
}

// Scratch per chunk.
Bytes share(const TensorImpl& node, const ConvGeometry& g) {
  const Bytes library = node.sources[1]->has(kFlagWeight) ? onednn_conv_work(node) : 0;  // requires packed weights
  return round_to_line(std::max(gemm_scratch(g.out_channels, g.positions, g.depth()), library));
}

// A block of the results of one image's group, including the bias.
void product(const KernelArgs& args, const ConvGeometry& g, int64_t image_group, Range rows, Range columns) {
  const TensorImpl &x = args.source(0), &w = args.source(1);
  const bool packed = args.packed && !args.packed->library();
  if (!packed) args.need_original_weights();
  float* const scratch = args.scratch<float>(share(args.node, g));
  const int64_t image = image_group / g.groups, group = image_group % g.groups, mr = simd().tile_rows;
  const float* from = x.data_as<float>() + image * g.batch_stride + group * g.in_channels * g.channel_stride;
  float* out = args.node.data_as<float>() + image_group * g.out_channels * g.positions;
  const WindowPanels windows{g, from};
  const Lines places{reinterpret_cast<const std::byte*>(from), DType::F32, 1, g.channel_stride};
  const Lines weights = weight_lines(w, group * g.out_channels);
  if (is_plain_product(g) && (multiply_strips(g, rows, columns, weights, from, out) ||
                              onednn_matmul(rows, columns, g.depth(), weights, places, out, g.positions))) {
    // Computed.
  } else if (packed) {
    const int64_t padded = (g.out_channels + mr - 1) / mr * mr * g.depth();  // packed weights of a group
    gemm(rows, columns, g.depth(), scratch, PackedLeft{args.packed->data() + group * padded, g.depth()}, windows, out,
         g.positions);
  } else {
    gemm(rows, columns, g.depth(), scratch, LeftLines{weights, gemm_row(scratch)}, windows, out, g.positions);
  }
  const int64_t first = image_group * g.out_channels * g.positions;
  for (int64_t r = rows.begin; r < rows.end; ++r) {
    add_bias(args, group * g.out_channels + r, out + r * g.positions + columns.begin, columns.size());
    if (columns.size() < g.positions) args.done(first + r * g.positions + columns.begin, columns.size());
  }
  if (columns.size() == g.positions) args.done(first + rows.begin * g.positions, rows.size() * g.positions);
}

// Rows by oneDNN, for which prepare() packed the weights; by GEMM where it fails.
void by_library(const KernelArgs& args, const ConvGeometry& g) {
  const Range rows = args.part(g.batch * g.out[1]);
  // Bias and epilogue for rows that oneDNN has computed, over all channels of one image.
  const auto finish = [&](int64_t image, int64_t first, int64_t run) {
    for (int64_t c = 0; c < g.out_channels; ++c) {
      const int64_t at = (image * g.out_channels + c) * g.positions + first * g.out[2];
      add_bias(args, c, args.node.data_as<float>() + at, run * g.out[2]);
      args.done(at, run * g.out[2]);
    }
  };
  for (int64_t row = rows.begin + args.packed->library()->compute(
                                      args, reinterpret_cast<const std::byte*>(args.packed->data()), finish);
       row < rows.end;) {
    const int64_t image = row / g.out[1], first = row % g.out[1], run = std::min(rows.end - row, g.out[1] - first);
    product(args, g, image, {0, g.out_channels}, {first * g.out[2], (first + run) * g.out[2]});
    row += run;
  }
}

void by_product(const KernelArgs& args, const ConvGeometry& g) {
  const int64_t mr = simd().tile_rows, nr = simd().tile_columns, images = g.batch * g.groups;
  Range parts{0, images}, rows{0, g.out_channels}, columns{0, g.positions};
  if (images % args.nth == 0 || images >= 4 * args.nth)
    parts = args.part(images);
  else if (g.positions / nr >= 3 * args.nth || g.out_channels / mr < args.nth)
    columns = args.part(g.positions, nr);
  else
    rows = args.part(g.out_channels, mr);
  if (rows.size() <= 0 || columns.size() <= 0) return;
  for (int64_t i = parts.begin; i < parts.end; ++i) product(args, g, i, rows, columns);
}

// Any floating-point types and layouts, in double: elements of `range` in the memory order of the result.
void plain(const KernelArgs& args, const ConvGeometry& g, Range range) {
  args.need_original_weights();
  const TensorImpl &x = args.source(0), &w = args.source(1), &node = args.node;
  const LoadRow<double> load_x = loader<double>(x.dtype), load_w = loader<double>(w.dtype);
  const int64_t x_bytes = element_bytes(x.dtype), w_bytes = element_bytes(w.dtype);
  const LoopNest weights(w.sizes, {&w});
  const int64_t channels = g.groups * g.out_channels;
  const bool last = node.channels_last();
  for (int64_t i = range.begin; i < range.end; ++i) {
    const int64_t channel = last ? i % channels : i / g.positions % channels,
                  position = last ? i / channels % g.positions : i % g.positions;
    const int64_t ow = position % g.out[2], oh = position / g.out[2] % g.out[1], od = position / g.out[2] / g.out[1];
    const int64_t n = i / g.positions / channels;
    const int64_t first = channel / g.out_channels * g.in_channels;
    double sum = 0;
    if (args.sources() > 2) {
      const TensorImpl& bias = args.source(2);
      loader<double>(bias.dtype)(&sum, bias.data() + channel * bias.strides[0] * element_bytes(bias.dtype), 1, 1);
    }
    int64_t k = 0;
    weights.rows({channel * g.depth(), (channel + 1) * g.depth()}, 1, [&](const int64_t* at, int64_t) {
      const int64_t tap = k % g.taps, c = first + k / g.taps;
      ++k;
      const int64_t d = od * g.stride[0] - g.begin[0] + tap / g.kernel[2] / g.kernel[1] * g.dilation[0];
      const int64_t h = oh * g.stride[1] - g.begin[1] + tap / g.kernel[2] % g.kernel[1] * g.dilation[1];
      const int64_t v = ow * g.stride[2] - g.begin[2] + tap % g.kernel[2] * g.dilation[2];
      if (d < 0 || d >= g.in[0] || h < 0 || h >= g.in[1] || v < 0 || v >= g.in[2]) return;
      const int64_t from =
          n * g.batch_stride + c * g.channel_stride + d * g.in_stride[0] + h * g.in_stride[1] + v * g.in_stride[2];
      double a, b;
      load_w(&a, w.data() + at[0] * w_bytes, 1, 1);
      load_x(&b, x.data() + from * x_bytes, 1, 1);
      sum += a * b;
    });
    store_elements(node, i, 1, &sum);
  }
  args.done(range.begin, range.size());
}

// Channels-last results, several rows at a time; by GEMM without oneDNN or where it fails.
void channels_last(const KernelArgs& args, const ConvGeometry& g) {
  OnednnConv* const library = args.packed ? args.packed->library() : nullptr;
  const int64_t height = std::max<int64_t>(library ? library->image_rows(g) : g.out[1], 1);
  const Range rows = args.part(g.batch * height);
  const int64_t width = g.out_channels * g.groups * g.positions / height;
  int64_t made = 0;
  if (library)
    made = library->compute(
        args, reinterpret_cast<const std::byte*>(args.packed->data()),
        [&](int64_t image, int64_t first, int64_t run) { args.done((image * height + first) * width, run * width); });
  if (made < rows.size()) plain(args, g, {(rows.begin + made) * width, rows.end * width});
}

Bytes packed_gemm_bytes(const TensorImpl&, const ConvGeometry& g) {
  if (onednn_present() && is_plain_product(g)) return 0;
  const int64_t mr = simd().tile_rows;
  return g.groups * ((g.out_channels + mr - 1) / mr * mr) * g.depth() * 4;
}

void pack_gemm(const TensorImpl& node, const ConvGeometry& g, std::byte* packed) {
  auto* to = reinterpret_cast<float*>(packed);
  const int64_t mr = simd().tile_rows;
  const TensorImpl& w = *node.sources[1];
  std::vector<float> aligned;
  if (!is_aligned(w)) {
    aligned.resize(static_cast<size_t>(w.byte_span()) / sizeof(float));
    std::memcpy(aligned.data(), w.data(), aligned.size() * sizeof(float));
  }
  for (int64_t group = 0; group < g.groups; ++group, to += (g.out_channels + mr - 1) / mr * mr * g.depth()) {
    Lines lines = weight_lines(w, group * g.out_channels);
    if (!aligned.empty()) lines.data = reinterpret_cast<const std::byte*>(aligned.data()) + (lines.data - w.data());
    pack_all(lines, g.out_channels, mr, g.depth(), to);
  }
}

void by_library_or_product(const KernelArgs& args, const ConvGeometry& g) {
  if (args.packed && args.packed->library() && args.packed->library()->takes(args.nth))
    by_library(args, g);
  else
    by_product(args, g);
}

}  // namespace

const ConvAlgorithm kConvNhwc{.takes = [](const TensorImpl& node, const ConvGeometry&) { return node.channels_last(); },
                              .compute = channels_last,
                              .work = [](const TensorImpl& node, const ConvGeometry&, int tasks) -> Bytes {
                                return all_floats(node) ? tasks * round_to_line(onednn_conv_work(node)) : 0;
                              },
                              .library = true,
                              .suits_nhwc =
                                  [](const TensorImpl& node, const ConvGeometry& g) {
                                    return g.groups == 1 && node.rank() == 4 && node.sources[1]->has(kFlagWeight) &&
                                           onednn_supports_nhwc(node);
                                  }};

const ConvAlgorithm kConvPlain{
    .takes = [](const TensorImpl& node,
                const ConvGeometry&) { return !all_floats(node) || !has_weight_rows(*node.sources[1]); },
    .compute = [](const KernelArgs& args,
                  const ConvGeometry& g) { plain(args, g, args.part(args.node.element_count(), 16)); }};

const ConvAlgorithm kConvGemm{
    .takes = [](const TensorImpl&, const ConvGeometry&) { return true; },
    .compute = by_library_or_product,
    .work = [](const TensorImpl& node, const ConvGeometry& g, int tasks) { return tasks * share(node, g); },
    .packed_bytes = packed_gemm_bytes,
    .pack = pack_gemm,
    .library = true};

}  // namespace arenascope::cpu
