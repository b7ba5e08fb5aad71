// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cstring>

#include <arenascope/graph/own_places.h>
#include <fmt/format.h>

#include "engine/backends/opencl/ops.h"

namespace arenascope::opencl {
namespace {

cl_int width(const TensorImpl& t) { return info(t.dtype).block_bytes; }

Status copy(KernelContext& ctx, const TensorImpl& from, Layout lf, const TensorImpl& to, Layout lt) {
  const int64_t n = lf.count();
  collapse({&lf, &lt});
  return Call(ctx, "movement", "", "copy_cells")
      .tensor(from, lf)
      .tensor(to, lt)
      .arg(cl_long(n))
      .arg(width(to))
      .items(n);
}

uint16_t half_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {  // subnormal: in units of 2^-24, ties to even
    const float units = std::bit_cast<float>(magnitude) * 16777216.0f;
    auto whole = static_cast<uint32_t>(units);
    const float rest = units - static_cast<float>(whole);
    if (rest > 0.5f || (rest == 0.5f && (whole & 1))) ++whole;
    return static_cast<uint16_t>(sign | whole);
  }
  const uint32_t rounded = magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1);
  return static_cast<uint16_t>(sign | rounded >> 13);
}

// Bit pattern of a number in an element type.
uint64_t bits_of(DType type, double value) {
  switch (type) {
    case DType::F32: return std::bit_cast<uint32_t>(static_cast<float>(value));
    case DType::F16: return half_bits(static_cast<float>(value));
    case DType::BF16: {
      const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
      return (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    }
    case DType::F64: return std::bit_cast<uint64_t>(value);
    case DType::Bool: return value != 0;
    case DType::U64: return value >= 1.8e19 ? UINT64_MAX : value <= 0 ? 0 : static_cast<uint64_t>(value);
    default:
      return static_cast<uint64_t>(value >= 9.2e18    ? INT64_MAX
                                   : value <= -9.2e18 ? INT64_MIN
                                                      : static_cast<int64_t>(value));
  }
}

Status concat(KernelContext& ctx, const TensorImpl& node) {
  const auto axis = node.params.get<AxisParams>().axis;
  int64_t at = 0;
  for (const TensorImpl* source : node.sources) {
    Layout lf = layout_of(*source), lt = layout_of(node);
    lt.size[axis] = source->sizes[axis];
    lt.offset = at * lt.stride[axis];
    at += source->sizes[axis];
    if (source->element_count() == 0) continue;
    if (auto ok = copy(ctx, *source, lf, node, lt); !ok) return ok;
  }
  return {};
}

Status pad(KernelContext& ctx, const TensorImpl& node) {
  const auto p = node.params.get<PadParams>();
  struct {
    cl_int v[8];
  } begin{};
  for (int d = 0; d < node.rank(); ++d) begin.v[d] = p.begin[d];
  const int64_t n = node.element_count();
  return Call(ctx, "movement", "", "pad")
      .tensor(*node.sources[0], layout_of(*node.sources[0]))
      .tensor(node, layout_of(node))
      .arg(cl_long(n))
      .arg(width(node))
      .arg(begin)
      .arg(static_cast<cl_int>(p.mode))
      .arg(cl_ulong(bits_of(node.dtype, static_cast<double>(p.value))))
      .items(n);
}

Status gather(KernelContext& ctx, const TensorImpl& node) {
  const int axis = node.params.get<AxisParams>().axis;
  const TensorImpl &table = *node.sources[0], &index = *node.sources[1];
  Layout lt = made_layout(table.dtype, node.sizes.span(), Dims::filled(node.rank(), 0).span());
  Layout li = made_layout(index.dtype, node.sizes.span(), Dims::filled(node.rank(), 0).span());
  const bool elements = node.op == Op::GatherElements;
  const int index_rank = elements ? 1 : index.rank();  // number of index dimensions in the result
  for (int d = 0; d < node.rank(); ++d) {
    if (d < axis)
      lt.stride[d] = table.strides[d];
    else if (d >= axis + index_rank)
      lt.stride[d] = table.strides[d - index_rank + 1];
    if (elements)
      li.stride[d] = index.strides[d];
    else if (d >= axis && d < axis + index_rank)
      li.stride[d] = index.strides[d - axis];
  }
  const int64_t n = node.element_count();
  const bool quantised = info(table.dtype).quantised;
  return Call(ctx, "movement", quantised ? " -DWITH_QUANTISED" : "", "gather")
      .tensor(table, lt)
      .tensor(index, li)
      .tensor(node, layout_of(node))
      .arg(cl_long(n))
      .arg(table.dtype == node.dtype ? width(node) : cl_int(0))
      .arg(cl_long(table.sizes[axis]))
      .arg(cl_long(table.strides[axis]))
      .buffer(ctx.problem)
      .items(n);
}

Status depth_to_space(KernelContext& ctx, const TensorImpl& node) {
  const auto p = node.params.get<DepthToSpaceParams>();
  const TensorImpl& x = *node.sources[0];
  const int64_t b = p.block, channels = node.sizes[1], h = x.sizes[2], w = x.sizes[3];
  // The input's channels as (b, b, C) or (C, b, b), iterated in the result's order N, C, H, b, W, b.
  const int64_t c = x.strides[1];
  const int64_t by_c = p.column_row_depth ? c * b * b : c, by_y = p.column_row_depth ? c * b : c * b * channels,
                by_x = p.column_row_depth ? c : c * channels;
  const int64_t sizes[] = {node.sizes[0], channels, h, b, w, b};
  const int64_t from[] = {x.strides[0], by_c, x.strides[2], by_y, x.strides[3], by_x};
  const Dims contiguous = contiguous_strides(Dims(std::span<const int64_t>(sizes)));
  return copy(ctx, x, made_layout(x.dtype, sizes, from), node, made_layout(node.dtype, sizes, contiguous.span()));
}

Status resize(KernelContext& ctx, const TensorImpl& node) {
  const auto p = node.params.get<ResizeParams>();
  struct {
    cl_float v[8];
  } scales{};
  for (int d = std::max(0, node.rank() - 4); d < node.rank(); ++d) scales.v[d] = p.scales[d - (node.rank() - 4)];
  const int64_t n = node.element_count();
  return Call(ctx, "resize", "", "resize")
      .tensor(*node.sources[0], layout_of(*node.sources[0]))
      .tensor(node, layout_of(node))
      .arg(cl_long(n))
      .arg(scales)
      .arg(static_cast<cl_int>(p.mode))
      .arg(static_cast<cl_int>(p.coordinates))
      .arg(static_cast<cl_int>(p.nearest))
      .arg(p.cubic_a)
      .items(n);
}

void wide_argument(Call& call, const KernelContext& ctx, double value) {
  if (ctx.runtime.facts().fp64)
    call.arg(static_cast<cl_double>(value));
  else
    call.arg(static_cast<cl_float>(value));
}

}  // namespace

Status run_choice(KernelContext& ctx, const TensorImpl& node) {
  const int64_t n = node.element_count();
  Layout lc = broadcast_layout(*node.sources[0], node.sizes), la = broadcast_layout(*node.sources[1], node.sizes),
         lb = broadcast_layout(*node.sources[2], node.sizes);
  collapse({&lc, &la, &lb});
  return Call(ctx, "movement", "", "choose")
      .tensor(*node.sources[0], lc)
      .tensor(*node.sources[1], la)
      .tensor(*node.sources[2], lb)
      .tensor(node, layout_of(node))
      .arg(cl_long(n))
      .arg(width(node))
      .items(n);
}

Status run_set_rows(KernelContext& ctx, const TensorImpl& node) {
  const TensorImpl& from = *node.sources[1];
  const auto [axis, has_rows] = node.params.get<SetRowsParams>();
  const TensorImpl& rows = has_rows ? *node.sources[2] : from;
  const bool own = own_places(node);
  Dims columns = from.sizes;
  if (own) columns[axis] = std::min<int64_t>(columns[axis], 1);
  Layout lt = made_layout(node.dtype, columns.span(), node.strides.span());
  Layout lf = made_layout(from.dtype, columns.span(), from.strides.span());
  Layout lr = made_layout(rows.dtype, columns.span(), own ? rows.strides.span() : Dims::filled(from.rank(), 0).span());
  if (has_rows) lt.stride[axis] = 0;
  if (has_rows && !own) lr.stride[axis] = rows.strides[0];
  const int64_t n = element_count(columns);
  return Call(ctx, "movement", "", "set_rows")
      .tensor(node, lt)
      .tensor(from, lf)
      .tensor(rows, lr)
      .arg(cl_long(n))
      .arg(width(node))
      .arg(static_cast<cl_int>(own        ? 2
                               : has_rows ? 1
                                          : 0))
      .arg(cl_long(node.sizes[axis]))
      .arg(cl_long(node.strides[axis]))
      .arg(cl_long(own ? from.sizes[axis] : 1))
      .arg(cl_long(own ? from.strides[axis] : 0))
      .arg(cl_long(own ? rows.strides[axis] : 0))
      .buffer(ctx.problem)
      .items(n);
}

#pragma GCC diagnostic error "-Wswitch-enum"  // a missing op is a compile error

Status run_movement(KernelContext& ctx, const TensorImpl& node) {
  const int64_t n = node.element_count();
  switch (static_cast<MovementOp>(node.op)) {
    case MovementOp::Concat: return concat(ctx, node);
    case MovementOp::Pad: return pad(ctx, node);
    case MovementOp::Gather:
    case MovementOp::GatherElements: return gather(ctx, node);
    case MovementOp::DepthToSpace: return depth_to_space(ctx, node);
    case MovementOp::Resize: return resize(ctx, node);
    case MovementOp::Fill: {
      auto place = operand(ctx, node);
      if (!place) return place.error();
      return Call(ctx, "movement", "", "fill_bits")
          .buffer(place->buffer)
          .arg(cl_long(place->offset))
          .arg(cl_long(n))
          .arg(width(node))
          .arg(cl_ulong(bits_of(node.dtype, node.params.get<FillParams>().start)))
          .items(n);
    }
    case MovementOp::Arange: {
      const auto p = node.params.get<FillParams>();
      Call call(ctx, "movement", "", "arange");
      call.tensor(node, layout_of(node)).arg(cl_long(n));
      wide_argument(call, ctx, p.start);
      wide_argument(call, ctx, p.step);
      return call.arg(cl_long(p.start)).arg(cl_long(p.step)).items(n);
    }
    case MovementOp::Tril: {
      const auto p = node.params.get<TrilParams>();
      Layout lx = layout_of(*node.sources[0]);
      collapse({&lx});
      return Call(ctx, "movement", "", "triangle")
          .tensor(*node.sources[0], lx)
          .tensor(node, layout_of(node))
          .arg(cl_long(n))
          .arg(width(node))
          .arg(cl_long(node.sizes.back(1)))
          .arg(cl_long(node.sizes.back()))
          .arg(cl_long(p.diagonal))
          .arg(static_cast<cl_int>(p.upper))
          .items(n);
    }
    case MovementOp::Cast: {
      const TensorImpl& x = *node.sources[0];
      if (x.dtype == node.dtype) return copy(ctx, x, layout_of(x), node, layout_of(node));
      Layout lx = layout_of(x);
      collapse({&lx});
      return Call(ctx, "movement", info(x.dtype).quantised ? " -DWITH_QUANTISED" : "", "cast")
          .tensor(x, lx)
          .tensor(node, layout_of(node))
          .arg(cl_long(n))
          .items(n);
    }
    case MovementOp::Cont:
    case MovementOp::Copy: return copy(ctx, *node.sources[0], layout_of(*node.sources[0]), node, layout_of(node));
  }
  return no_kernel(node);
}

}  // namespace arenascope::opencl
