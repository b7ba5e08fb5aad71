// SPDX-License-Identifier: MIT
#include <algorithm>

#include <arenascope/graph/op_params.h>
#include "engine/backends/opencl/matmuls.h"
#include "engine/backends/opencl/winograd.h"

namespace arenascope::opencl {
namespace {

constexpr int64_t kPoints = 16;  // points of a 4x4 tile, which yields 2x2 results

// The same struct as in winograd.cl.
struct WinogradArgs {
  cl_int channels, height, width, outputs, out_height, out_width, pad_y, pad_x;
  cl_int tiles_x, tiles, first_row;
  cl_int biased;
};

// Bands of an image: whole rows of tiles; the last band may be lower.
struct Bands {
  int64_t tiles_x = 0, rows = 0, rows_per_band = 0;
  Bytes image = 0, results = 0;  // bytes of a transformed band; multiples of the device's alignment
};

Bands bands_of(const KernelContext& ctx, const TensorImpl& node) {
  constexpr Bytes kMaxScratch = Bytes{4} << 20;
  const int64_t channels = node.sources[1]->sizes[1], outputs = node.sizes[1];
  Bands b;
  b.tiles_x = (node.sizes[3] + 1) / 2;
  b.rows = (node.sizes[2] + 1) / 2;
  const Bytes row = kPoints * b.tiles_x * 4;  // per channel
  b.rows_per_band = std::clamp<int64_t>(kMaxScratch / (row * (channels + outputs)), 1, b.rows);
  const auto aligned = [&](Bytes bytes) { return (bytes + ctx.alignment - 1) / ctx.alignment * ctx.alignment; };
  b.image = aligned(row * b.rows_per_band * channels);
  b.results = aligned(row * b.rows_per_band * outputs);
  return b;
}

bool is_flat_float(const TensorImpl& t) {
  return t.dtype == DType::F32 && t.contiguous() && t.element_count() < (int64_t{1} << 31);
}

// Sixteen matmuls of filters and tiles.
Status multiply(KernelContext& ctx, const Operand& filters, const Operand& image, const Operand& results,
                const WinogradArgs& args) {
  MatmulBatch s;
  s.p.m = args.outputs;
  s.p.n = s.p.width = s.p.out_width = args.tiles;
  s.p.k = s.p.channels = args.channels;
  s.p.height = s.p.out_height = s.p.kernel_height = s.p.kernel_width = 1;
  s.p.stride_y = s.p.stride_x = s.p.dilation_y = s.p.dilation_x = 1;
  s.p.scale = 1;
  s.columns = image;
  s.rows = s.bias = filters;
  s.out = results;
  s.outer = s.rows_repeat = kPoints;
  s.columns_stride = int64_t{args.channels} * args.tiles;
  s.rows_stride = int64_t{args.outputs} * args.channels;
  s.out_stride = int64_t{args.outputs} * args.tiles;
  s.option = " -DCONV";
  return run_matmuls(ctx, s, default_kernel(ctx, s));
}

}  // namespace

bool takes_winograd(const KernelContext& ctx, const TensorImpl& node) {
  constexpr int64_t kMinChannels = 16, kMinSide = 4;
  if (!ctx.winograd || !ctx.blocked || node.op != Op::Conv || node.placement == Placement::Packed) return false;
  const auto p = node.params.get<ConvParams>();
  const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
  const auto ones = [](const int32_t* both) { return both[0] == 1 && both[1] == 1; };
  return p.spatial == 2 && p.groups == 1 && ones(p.strides) && ones(p.dilations) && w.has(kFlagWeight) &&
         is_flat_float(x) && is_flat_float(w) && is_flat_float(node) &&
         (node.sources.size() < 3 || is_flat_float(*node.sources[2])) && w.sizes[2] == 3 && w.sizes[3] == 3 &&
         w.sizes[0] >= kMinChannels && w.sizes[1] >= kMinChannels && node.sizes[0] > 0 &&
         std::min(node.sizes[2], node.sizes[3]) >= kMinSide;
}

bool winograd_pays(const KernelContext& ctx, const TensorImpl& node) {
  constexpr int64_t kMinChannels = 128, kMinPixels = 14 * 14, kMaxPixels = 64 * 64;
  const int64_t pixels = node.sizes[2] * node.sizes[3];
  return !ctx.runtime.facts().is_cpu() ||
         (node.sources[1]->sizes[1] >= kMinChannels && pixels >= kMinPixels && pixels <= kMaxPixels);
}

Bytes winograd_filter_bytes(const TensorImpl& weight) { return kPoints * weight.sizes[0] * weight.sizes[1] * 4; }

Bytes winograd_work_bytes(const KernelContext& ctx, const TensorImpl& node) {
  if (!takes_winograd(ctx, node)) return 0;
  const Bands bands = bands_of(ctx, node);
  return bands.image + bands.results;
}

Status transform_filters(KernelContext& ctx, const TensorImpl& weight, const Storage& to) {
  const int64_t count = weight.sizes[0] * weight.sizes[1];
  return Call(ctx, "winograd", "", "filters")
      .flat(weight)
      .scratch(to.data(), to.bytes())
      .arg(cl_int(count))
      .items(count);
}

Status run_winograd(KernelContext& ctx, const TensorImpl& node, const Storage& filters, const ComputeParams& params) {
  const auto p = node.params.get<ConvParams>();
  const TensorImpl &x = *node.sources[0], &bias = node.sources.size() > 2 ? *node.sources[2] : x;
  const Bands bands = bands_of(ctx, node);
  WinogradArgs args{};
  args.channels = static_cast<cl_int>(x.sizes[1]);
  args.height = static_cast<cl_int>(x.sizes[2]);
  args.width = static_cast<cl_int>(x.sizes[3]);
  args.outputs = static_cast<cl_int>(node.sizes[1]);
  args.out_height = static_cast<cl_int>(node.sizes[2]);
  args.out_width = static_cast<cl_int>(node.sizes[3]);
  args.pad_y = p.pads_begin[0];
  args.pad_x = p.pads_begin[1];
  args.tiles_x = static_cast<cl_int>(bands.tiles_x);
  args.biased = node.sources.size() > 2;
  const std::byte *image = params.work, *results = params.work + bands.image;
  const auto slice = [&](const std::byte* at, Bytes bytes) -> Result<Operand> {
    auto found = ctx.runtime.buffers().slice(at, bytes, ctx.alignment);
    if (!found) return found.error();
    return Operand{found->buffer, found->offset / 4};
  };
  auto u = slice(filters.data(), filters.bytes()), v = slice(image, bands.image), m = slice(results, bands.results);
  for (const auto* found : {&u, &v, &m})
    if (!found->ok()) return found->error();
  const auto group = std::min<size_t>(64, ctx.runtime.facts().max_work_group);
  for (int64_t n = 0; n < node.sizes[0]; ++n)
    for (int64_t row = 0; row < bands.rows; row += bands.rows_per_band) {
      args.first_row = static_cast<cl_int>(row);
      args.tiles = static_cast<cl_int>(std::min(bands.rows_per_band, bands.rows - row) * bands.tiles_x);
      const auto transformed = Call(ctx, "winograd", "", "image")
                                   .flat(x)
                                   .arg(cl_long(n * x.sizes[1] * x.sizes[2] * x.sizes[3]))
                                   .scratch(image, bands.image)
                                   .arg(args)
                                   .grid({args.tiles, args.channels}, {group, 1});
      if (!transformed) return transformed;
      if (auto ok = multiply(ctx, *u, *v, *m, args); !ok) return ok;
      const auto back = Call(ctx, "winograd", "", "results")
                            .scratch(results, bands.results)
                            .flat(bias)
                            .flat(node)
                            .arg(cl_long(n * node.sizes[1] * node.sizes[2] * node.sizes[3]))
                            .arg(args)
                            .grid({args.tiles, args.outputs}, {group, 1});
      if (!back) return back;
    }
  return {};
}

}  // namespace arenascope::opencl
