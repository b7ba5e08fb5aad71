// SPDX-License-Identifier: MIT
// Matmuls of contiguous float32, or of float16 computed in float32, by blocked kernels. Device and tuner choose the
// kernel for a shape.
#include <algorithm>

#include <chrono>

#include <fmt/format.h>

#include "engine/backends/opencl/matmuls.h"
#include "engine/backends/opencl/node_weights.h"
#include "engine/backends/opencl/ops.h"
#include "engine/backends/opencl/winograd.h"

namespace arenascope::opencl {
namespace {

int lanes(const KernelContext& ctx) {
  cl_uint width = 0;
  clGetDeviceInfo(ctx.runtime.facts().device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof width, &width, nullptr);
  return width >= 16 ? 16 : 8;
}

// Depth of a packed panel: fits well in the L2 cache, in equal parts. For float16 it is the whole depth, because
// partial sums stored in between would be rounded; 0: not enough memory.
int64_t panel_depth(const KernelContext& ctx, const MatmulBatch& s) {
  constexpr int64_t kMaxPartDepth = 2048, kWhole = 16, kRows = 8;
  const int64_t columns = 2 * lanes(ctx), k = s.p.k,
                floats = ctx.runtime.facts().memory.local / static_cast<Bytes>(sizeof(float));
  if (s.half) return floats / (columns + kRows) >= k ? k : 0;
  const int64_t most = std::clamp(floats / 2 / columns / kWhole * kWhole, kWhole, kMaxPartDepth),
                parts = (k + most - 1) / most;
  return std::min(most, ((k + parts - 1) / parts + kWhole - 1) / kWhole * kWhole);
}

void matrices(Call& call, const MatmulBatch& s) {
  call.buffer(s.columns.buffer).arg(cl_long(s.columns.offset)).arg(cl_long(s.columns_stride));
  call.buffer(s.rows.buffer).arg(cl_long(s.rows.offset)).arg(cl_long(s.rows_stride)).arg(cl_int(s.rows_repeat));
  call.buffer(s.bias.buffer).arg(cl_long(s.bias.offset));
  call.buffer(s.out.buffer).arg(cl_long(s.out.offset)).arg(cl_long(s.out_stride));
}

Status run_panels(KernelContext& ctx, MatmulBatch s) {
  const int width = lanes(ctx), columns = 2 * width;
  const int64_t panels = (s.p.n + columns - 1) / columns;
  // Enough groups for every unit, each packing its panel once.
  const int64_t parts_needed = 4 * ctx.runtime.facts().compute_units;
  const int64_t most = std::max<int64_t>(1, s.p.m / 32);
  s.p.row_parts =
      static_cast<cl_int>(std::clamp<int64_t>(parts_needed / std::max<int64_t>(1, panels * s.outer), 1, most));
  s.p.depth = static_cast<cl_int>(panel_depth(ctx, s));
  Call call(ctx, "gemm", s.option + " -DPANELS -DWIDTH=" + std::to_string(width), "panels");
  matrices(call, s);
  return call.arg(s.p)
      .local(sizeof(float) * static_cast<size_t>(s.p.depth * (columns + (s.half ? 8 : 0))))
      .grid({panels, s.outer, s.p.row_parts}, {1, 1, 1});
}

Status run_tiles(KernelContext& ctx, const MatmulBatch& s) {
  Call call(ctx, "gemm", s.option + " -DTILES", "tiles");
  matrices(call, s);
  const auto groups = [](int64_t count) { return (count + 31) / 32 * 8; };
  return call.arg(s.p).grid({groups(s.p.n), groups(s.p.m), s.outer}, {8, 8, 1});
}

// Seconds of the work queued by `run`, the minimum of several rounds; negative: it failed.
template <class Run>
double measured(KernelContext& ctx, const Run& run) {
  using Clock = std::chrono::steady_clock;
  double best = -1;
  for (int round = 0; round < 3; ++round) {  // the first one compiles
    const auto begin = Clock::now();
    if (!run() || !ctx.runtime.finish()) return -1.0;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (round > 0 && (best < 0 || seconds < best)) best = seconds;
  }
  return best;
}

// The faster of both kernels, and of Winograd's if the node was prepared for it.
Status run_best(KernelContext& ctx, const MatmulBatch& s, const TensorImpl& node, const NodeWeights* weights,
                const ComputeParams& params) {
  const bool winograd = weights && weights->winograd.allocated();
  if (!winograd && !supports_kernel(ctx, s, MatmulKernel::Panels)) return run_matmuls(ctx, s, MatmulKernel::Tiles);
  const TuneKey key{
      "gemm" + s.option + (winograd ? " or winograd" : ""),
      fmt::format("{}x{}x{}x{} taps {}x{}", s.outer, s.p.m, s.p.n, s.p.k, s.p.kernel_height, s.p.kernel_width)};
  const int count = winograd ? 3 : supports_kernel(ctx, s, MatmulKernel::Tiles) ? 2 : 1;
  const int usual = winograd && winograd_pays(ctx, node) ? 2 : static_cast<int>(default_kernel(ctx, s));
  const auto run = [&](int variant) -> Status {
    return variant == 2 ? run_winograd(ctx, node, weights->winograd, params)
                        : run_matmuls(ctx, s, static_cast<MatmulKernel>(variant));
  };
  const int variant = ctx.tuner.choose_variant(key, count, usual, [&](int v) {
    if (v < 2 && !supports_kernel(ctx, s, static_cast<MatmulKernel>(v))) return -1.0;
    return measured(ctx, [&] { return run(v).ok(); });
  });
  return run(variant);
}

bool has_any_way(const KernelContext& ctx, const MatmulBatch& s) {
  return supports_kernel(ctx, s, MatmulKernel::Panels) || supports_kernel(ctx, s, MatmulKernel::Tiles);
}

bool flat(const TensorImpl& t, DType type) {
  return t.dtype == type && (type == DType::F32 || type == DType::F16) && t.contiguous() &&
         t.element_count() < (int64_t{1} << 31);
}

const char* stored(const TensorImpl& node) { return node.dtype == DType::F16 ? " -DHALF" : ""; }

// Sets the operands. Errors: a tensor is not on the device.
Status place_operands(KernelContext& ctx, const TensorImpl& columns, const TensorImpl& rows, const TensorImpl* bias,
                      const TensorImpl& out, MatmulBatch& s) {
  const std::pair<const TensorImpl*, Operand*> all[] = {
      {&columns, &s.columns}, {&rows, &s.rows}, {bias ? bias : &rows, &s.bias}, {&out, &s.out}};
  for (const auto& [tensor, to] : all) {
    auto found = operand(ctx, *tensor);
    if (!found) return found.error();
    *to = *found;
  }
  return {};
}

bool fast_mul_mat(KernelContext& ctx, const TensorImpl& node, const TensorImpl* unpacked, Status& status) {
  const TensorImpl &a = unpacked ? *unpacked : *node.sources[0], &b = *node.sources[1];
  const TensorImpl* bias = node.sources.size() > 2 ? node.sources[2] : nullptr;
  if (!flat(a, node.dtype) || !flat(b, node.dtype) || !flat(node, node.dtype) || (bias && !flat(*bias, node.dtype)) ||
      a.sizes.back() == 0)
    return false;
  const int64_t n = node.sizes.back(), depth = a.sizes.back();
  int64_t m = node.sizes.back(1), outer = node.element_count() / (m * n);
  const int64_t outer_a = a.element_count() / (n * depth), outer_b = b.element_count() / (m * depth);
  if (outer_a == 1 && outer_b == outer) {  // one matrix for all rows
    m *= outer;
    outer = 1;
  } else if (outer_a != outer || (outer_b != outer && outer_b != 1)) {
    return false;
  }
  MatmulBatch s;
  s.p.m = static_cast<cl_int>(m);
  s.p.n = static_cast<cl_int>(n);
  s.p.k = static_cast<cl_int>(depth);
  s.p.kernel_height = s.p.kernel_width = 1;
  s.p.scale = node.params.get<MulMatParams>().scale;
  s.p.biased = bias ? 2 : 0;
  s.half = node.dtype == DType::F16;
  s.outer = outer;
  s.columns_stride = n * depth;
  s.rows_stride = outer_b == 1 ? 0 : m * depth;
  s.rows_repeat = static_cast<int>(outer);
  s.out_stride = m * n;
  s.option = std::string(" -DMUL_MAT") + stored(node);
  if (!has_any_way(ctx, s)) return false;
  if (m <= 4 && outer == 1 && n >= 4) {
    Call call(ctx, "gemm", s.option + " -DDOTS", "dots");
    const TensorImpl* all[] = {&a, &b, bias ? bias : &a, &node};
    for (const TensorImpl* t : all) {
      auto found = operand(ctx, *t);
      if (!found) {
        status = found.error();
        return true;
      }
      call.buffer(found->buffer).arg(cl_long(found->offset));
    }
    status = call.arg(cl_int(m))
                 .arg(cl_int(n))
                 .arg(cl_int(depth))
                 .arg(s.p.scale)
                 .arg(cl_int(bias != nullptr))
                 .items((n + 3) / 4, 8);
    return true;
  }
  if (status = place_operands(ctx, a, b, bias, node, s); status) status = run_best(ctx, s, node, nullptr, {});
  return true;
}

// The same struct as in rows.cl.
struct Planes {
  cl_int height, width, out_height, out_width, pad_y, pad_x, dilation_y, dilation_x;
  cl_int planes_weights;
  cl_int rows, end_y, end_x, count_padding, biased;
};

Status run_rows(KernelContext& ctx, const TensorImpl& node, const TensorImpl& x, const TensorImpl& w,
                const TensorImpl& bias, Planes p, const int32_t* kernel, const int32_t* strides, int mode) {
  const int64_t planes = node.sizes[0] * node.sizes[1];
  p.height = static_cast<cl_int>(x.sizes[2]);
  p.width = static_cast<cl_int>(x.sizes[3]);
  p.out_height = static_cast<cl_int>(node.sizes[2]);
  p.out_width = static_cast<cl_int>(node.sizes[3]);
  // GPUs need many small work items, CPUs few large ones.
  p.rows = ctx.runtime.facts().is_cpu() ? p.out_height : 1;
  const std::string options = fmt::format(" -DMODE={} -DKY={} -DKX={} -DSY={} -DSX={}{}", mode, kernel[0], kernel[1],
                                          strides[0], strides[1], stored(node));
  const int64_t parts = (p.out_height + p.rows - 1) / p.rows;
  const size_t group = ctx.runtime.facts().is_cpu() ? 1 : 8;
  return Call(ctx, "rows", options, "rows")
      .flat(x)
      .flat(w)
      .flat(bias)
      .flat(node)
      .arg(p)
      .grid({parts, planes}, {group, 1});
}

bool fast_conv(KernelContext& ctx, const TensorImpl& node, const NodeWeights* weights, const ComputeParams& params,
               Status& status) {
  const auto p = node.params.get<ConvParams>();
  const TensorImpl &x = *node.sources[0], &w = *node.sources[1];
  const TensorImpl* bias = node.sources.size() > 2 ? node.sources[2] : nullptr;
  if (p.spatial != 2 || !flat(x, node.dtype) || !flat(w, node.dtype) || !flat(node, node.dtype) ||
      (bias && !flat(*bias, node.dtype)) || w.sizes[1] == 0)
    return false;
  if (p.groups == x.sizes[1] && p.groups == node.sizes[1] && w.sizes[1] == 1 && w.sizes[2] * w.sizes[3] <= 49) {
    Planes planes{};
    planes.pad_y = p.pads_begin[0];
    planes.pad_x = p.pads_begin[1];
    planes.dilation_y = p.dilations[0];
    planes.dilation_x = p.dilations[1];
    planes.planes_weights = static_cast<cl_int>(w.sizes[0]);
    planes.biased = bias != nullptr;
    const int32_t kernel[] = {static_cast<int32_t>(w.sizes[2]), static_cast<int32_t>(w.sizes[3])};
    status = run_rows(ctx, node, x, w, bias ? *bias : w, planes, kernel, p.strides, 0);
    return true;
  }
  if (node.sizes[1] / p.groups < 4) return false;
  MatmulBatch s;
  const int64_t group_channels = w.sizes[1], rows = node.sizes[1] / p.groups;
  s.p.m = static_cast<cl_int>(rows);
  s.p.n = static_cast<cl_int>(node.sizes[2] * node.sizes[3]);
  s.p.k = static_cast<cl_int>(group_channels * w.sizes[2] * w.sizes[3]);
  s.p.channels = static_cast<cl_int>(group_channels);
  s.p.height = static_cast<cl_int>(x.sizes[2]);
  s.p.width = static_cast<cl_int>(x.sizes[3]);
  s.p.out_height = static_cast<cl_int>(node.sizes[2]);
  s.p.out_width = static_cast<cl_int>(node.sizes[3]);
  s.p.kernel_height = static_cast<cl_int>(w.sizes[2]);
  s.p.kernel_width = static_cast<cl_int>(w.sizes[3]);
  s.p.stride_y = p.strides[0];
  s.p.stride_x = p.strides[1];
  s.p.dilation_y = p.dilations[0];
  s.p.dilation_x = p.dilations[1];
  s.p.pad_y = p.pads_begin[0];
  s.p.pad_x = p.pads_begin[1];
  s.p.biased = bias ? 1 : 0;
  s.p.scale = 1;
  s.half = node.dtype == DType::F16;
  // Images and groups form one batch: channels of a group are contiguous in input and result.
  s.outer = node.sizes[0] * p.groups;
  s.columns_stride = group_channels * x.sizes[2] * x.sizes[3];
  s.rows_stride = rows * s.p.k;
  s.rows_repeat = p.groups;
  s.out_stride = rows * s.p.n;
  s.option = std::string(" -DCONV") + stored(node);
  if (!has_any_way(ctx, s)) return false;
  if (status = place_operands(ctx, x, w, bias, node, s); status) status = run_best(ctx, s, node, weights, params);
  return true;
}

}  // namespace

bool supports_kernel(const KernelContext& ctx, const MatmulBatch& matmuls, MatmulKernel variant) {
  return variant == MatmulKernel::Panels ? panel_depth(ctx, matmuls) > 0 : ctx.runtime.facts().max_work_group >= 64;
}

MatmulKernel default_kernel(const KernelContext& ctx, const MatmulBatch& matmuls) {
  const bool panels = supports_kernel(ctx, matmuls, MatmulKernel::Panels),
             tiles = supports_kernel(ctx, matmuls, MatmulKernel::Tiles);
  return panels && (ctx.runtime.facts().is_cpu() || !tiles) ? MatmulKernel::Panels : MatmulKernel::Tiles;
}

Status run_matmuls(KernelContext& ctx, const MatmulBatch& matmuls, MatmulKernel variant) {
  return variant == MatmulKernel::Panels ? run_panels(ctx, matmuls) : run_tiles(ctx, matmuls);
}

bool fast_matmul(KernelContext& ctx, const TensorImpl& node, const NodeWeights* weights, const ComputeParams& params,
                 Status& status) {
  if (!ctx.blocked || node.element_count() == 0) return false;
  if (node.op == Op::MulMat) return fast_mul_mat(ctx, node, weights ? weights->unpacked.impl() : nullptr, status);
  return node.op == Op::Conv && fast_conv(ctx, node, weights, params, status);
}

bool fast_windows(KernelContext& ctx, const TensorImpl& node, Status& status) {
  if (!ctx.blocked || (node.op != Op::MaxPool && node.op != Op::AvgPool)) return false;
  const auto p = node.params.get<PoolParams>();
  const TensorImpl& x = *node.sources[0];
  // Windows as large as the image have many taps and few results: no gain.
  if (p.spatial != 2 || !flat(x, node.dtype) || !flat(node, node.dtype) || p.kernel[0] * p.kernel[1] > 49) return false;
  Planes planes{};
  planes.pad_y = p.pads_begin[0];
  planes.pad_x = p.pads_begin[1];
  planes.end_y = p.pads_end[0];
  planes.end_x = p.pads_end[1];
  planes.dilation_y = p.dilations[0];
  planes.dilation_x = p.dilations[1];
  planes.count_padding = p.count_include_pad;
  planes.planes_weights = 1;
  status = run_rows(ctx, node, x, x, x, planes, p.kernel, p.strides, node.op == Op::MaxPool ? 1 : 2);
  return true;
}

}  // namespace arenascope::opencl
