// SPDX-License-Identifier: MIT
// Matmuls with quantised weights in ggml's layout: unpacked in registers, or by integer dot products where activations
// may be quantised too. The latter quantises them as llama.cpp does, in blocks of 32 values with one scale each.
#include <fmt/format.h>

#include "engine/backends/opencl/ops.h"

namespace arenascope::opencl {
namespace {

constexpr int64_t kBlock = 32;  // values per block, of weights and activations

// Shape of a supported matmul; m 0: not supported.
struct Shape {
  int64_t m = 0, n = 0, depth = 0;
  bool biased = false;
};

Shape shape_of(const TensorImpl& node) {
  if (node.op != Op::MulMat || node.element_count() == 0) return {};
  const TensorImpl &a = *node.sources[0], &b = *node.sources[1];
  const TensorImpl* bias = node.sources.size() > 2 ? node.sources[2] : nullptr;
  const bool plain = node.dtype == DType::F32 || node.dtype == DType::F16;
  const auto flat = [&](const TensorImpl& t) {
    return t.dtype == node.dtype && t.contiguous() && t.element_count() < (int64_t{1} << 31);
  };
  if ((a.dtype != DType::Q8_0 && a.dtype != DType::Q4_0) || !a.contiguous() || !plain || !flat(b) || !flat(node) ||
      (bias && !flat(*bias)) || a.sizes.back() == 0)
    return {};
  Shape s{node.element_count() / node.sizes.back(), node.sizes.back(), a.sizes.back(), bias != nullptr};
  return a.element_count() == s.n * s.depth && b.element_count() == s.m * s.depth ? s : Shape{};
}

// Only quantised weights justify quantising the activations, because they have lost more precision already.
bool by_integers(const KernelContext& ctx, const TensorImpl& node) {
  return ctx.integer_dot != IntegerDot::None && node.sources[0]->has(kFlagWeight);
}

// Bytes of the quantised activations, and offset of their scales.
Bytes row_bytes(const KernelContext& ctx, const Shape& s) {
  return (s.m * s.depth + ctx.alignment - 1) / ctx.alignment * ctx.alignment;
}

Status queue_bytes(KernelContext& ctx, const TensorImpl& rows, const Shape& s, const std::string& options,
                   std::byte* work) {
  auto place = operand(ctx, rows);
  if (!place) return place.error();
  const int64_t blocks = s.m * s.depth / kBlock;
  return Call(ctx, "quantised", options, "to_bytes")
      .buffer(place->buffer)
      .arg(cl_long(place->offset))
      .scratch(work, s.m * s.depth)
      .scratch(work + row_bytes(ctx, s), blocks * 4)
      .arg(cl_long(blocks))
      .items(blocks);
}

}  // namespace

Bytes quantised_work_bytes(const KernelContext& ctx, const TensorImpl& node) {
  const Shape s = ctx.blocked ? shape_of(node) : Shape{};
  return s.m > 0 && by_integers(ctx, node) ? row_bytes(ctx, s) + s.m * s.depth / kBlock * 4 : 0;
}

bool fast_quantised(KernelContext& ctx, const TensorImpl& node, const ComputeParams& params, Status& status) {
  const Shape s = ctx.blocked ? shape_of(node) : Shape{};
  if (s.m == 0) return false;
  const bool integers = by_integers(ctx, node);
  // As many sums as fit in registers.
  const int rows = s.m >= 4 ? 4 : 1, columns = s.m >= 4 ? 2 : 4;
  const std::string options =
      fmt::format(" -DBITS={} -DROWS={} -DCOLUMNS={}{}{}{}", node.sources[0]->dtype == DType::Q8_0 ? 8 : 4, rows,
                  columns, node.dtype == DType::F16 ? " -DHALF" : "", integers ? " -DINTEGER" : "",
                  integers && ctx.integer_dot == IntegerDot::Device ? " -DHAS_DOT" : "");
  if (integers)
    if (status = queue_bytes(ctx, *node.sources[1], s, options, params.work); !status) return true;
  Call call(ctx, "quantised", options, "matmul");
  const auto buffer_of = [&](const TensorImpl& t, int64_t units, int64_t per_unit) {
    auto place = operand(ctx, t);
    if (!place)
      status = place.error();
    else
      call.buffer(place->buffer).arg(cl_long(place->offset / units * per_unit));
    return status.ok();
  };
  const TensorImpl &a = *node.sources[0], &bias = s.biased ? *node.sources[2] : node;
  if (!buffer_of(a, info(a.dtype).block_elements, info(a.dtype).block_bytes)) return true;
  if (integers) {
    call.scratch(params.work, s.m * s.depth).scratch(params.work + row_bytes(ctx, s), s.m * s.depth / kBlock * 4);
  } else if (!buffer_of(*node.sources[1], 1, 1)) {
    return true;
  }
  if (!buffer_of(bias, 1, 1) || !buffer_of(node, 1, 1)) return true;
  status = call.arg(cl_int(s.m))
               .arg(cl_int(s.n))
               .arg(cl_int(s.depth / kBlock))
               .arg(node.params.get<MulMatParams>().scale)
               .arg(cl_int(s.biased))
               .grid({(s.n + columns - 1) / columns, (s.m + rows - 1) / rows}, {1, 1});
  return true;
}

}  // namespace arenascope::opencl
