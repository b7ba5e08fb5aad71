// SPDX-License-Identifier: MIT
// SET_ROWS: writes rows in place at indices known only at run time, such as a KV cache or a parameter; also single
// elements, each with its own index.
#include <algorithm>
#include <cstring>
#include <vector>

#include <arenascope/graph/own_places.h>
#include <fmt/format.h>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/negative_indices.h"
#include "engine/backends/cpu/quant/quant.h"

namespace arenascope::cpu {
namespace {

Dims without(const Dims& dims, int axis, int begin, int end) {
  Dims out;
  for (int i = begin; i < end; ++i)
    if (i != axis) out.push_back(dims[i]);
  return out;
}

struct Side {
  std::byte* data;
  int64_t bytes;  // per element
};

template <class C>
void write_row(const LoopNest& inner, Side to, DType to_type, Side from, DType from_type) {
  const int64_t to_stride = inner.inner_stride(0), from_stride = inner.inner_stride(1);
  if (to_type == from_type && to_stride == 1 && from_stride == 1) {
    inner.rows({0, inner.count()}, inner.count(), [&](const int64_t* at, int64_t n) {
      std::memcpy(to.data + at[0] * to.bytes, from.data + at[1] * to.bytes, static_cast<size_t>(n * to.bytes));
    });
    return;
  }
  const LoadRow<C> load = loader<C>(from_type);
  const StoreRow<C> store = storer<C>(to_type);
  inner.rows({0, inner.count()}, 256, [&](const int64_t* at, int64_t n) {
    C line[256];
    load(line, from.data + at[1] * from.bytes, from_stride, n);
    store(to.data + at[0] * to.bytes, to_stride, line, n);
  });
}

Status outside(const TensorImpl& node, int64_t row, int64_t i, int64_t size) {
  return refuse(node, fmt::format("row index {} (at position {}) is out of range for {} rows", row, i, size));
}

// Quantised rows: the input row is converted to float and quantised.
Status set_quantised_rows(const KernelArgs& args, int axis, const TensorImpl* rows) {
  const TensorImpl &node = args.node, &from = args.source(1);
  const DTypeInfo& type = info(node.dtype);
  const int last = node.rank() - 1;
  const int64_t width = node.sizes[last], line_bytes = width / type.block_elements * type.block_bytes;
  int64_t within = 1;  // quantised rows per indexed row
  for (int d = axis + 1; d < last; ++d) within *= node.sizes[d];
  const int64_t size = node.sizes[axis], count = from.sizes[axis], from_bytes = element_bytes(from.dtype);
  const LoadRow<float> load = loader<float>(from.dtype);
  std::vector<float> line(static_cast<size_t>(width));
  const Range part = args.part(width > 0 ? from.element_count() / width : 0);
  for (int64_t l = part.begin; l < part.end; ++l) {
    const int64_t i = l / within % count, row = rows ? integer_at(*rows, i) : i;
    if (row < 0) continue;
    if (row >= size) return outside(node, row, i, size);
    int64_t offset = 0, rest = l;
    for (int d = last - 1; d >= 0; rest /= from.sizes[d], --d) offset += rest % from.sizes[d] * from.strides[d];
    load(line.data(), from.data() + offset * from_bytes, from.strides[last], width);
    const int64_t to = (l / within / count * size + row) * within + l % within;
    quantise_q8_0(line.data(), node.data() + to * line_bytes, width);
  }
  return {};
}

// Scatters each element along the axis. Elements that may collide belong to one chunk, which processes the axis in
// order: whole rows of the dimensions before it, or columns of those after it.
template <class T>
Status set_elements(const KernelArgs& args, int axis) {
  const TensorImpl &node = args.node, &from = args.source(1), &indices = args.source(2);
  const int64_t size = node.sizes[axis], along = node.strides[axis], count = from.sizes[axis];
  Dims strides = node.strides;
  strides[axis] = 0;
  const LoopNest nest(from.sizes, {strides, from.strides, indices.strides});
  const int64_t to_step = nest.inner_stride(0), from_step = nest.inner_stride(1);
  const LoadRow<int64_t> load = loader<int64_t>(indices.dtype);
  const int64_t index_bytes = element_bytes(indices.dtype);
  const bool one_place = nest.inner_stride(2) == 0 && to_step == 1 && from_step == 1;  // one index per row
  const int64_t longest = one_place ? nest.count() : 256;
  Status status;
  const auto put = [&](const int64_t* at, int64_t n) {
    if (!status) return;
    int64_t place[256];
    const int64_t places = one_place ? 1 : n;
    load(place, indices.data() + at[2] * index_bytes, nest.inner_stride(2), places);
    if (!from_front(place, places, size)) {
      status = refuse(node, fmt::format("index {} is out of range for an axis of size {}",
                                        first_outside(place, places, size).index, size));
      return;
    }
    T* const to = node.data_as<T>() + at[0];
    const T* const source = from.data_as<T>() + at[1];
    if (one_place) return void(std::memcpy(to + place[0] * along, source, static_cast<size_t>(n) * sizeof(T)));
    for (int64_t i = 0; i < n; ++i) to[i * to_step + place[i] * along] = source[i * from_step];
  };
  int64_t outer = 1, inner = 1;
  for (int d = 0; d < from.rank(); ++d)
    if (d != axis) (d < axis ? outer : inner) *= from.sizes[d];
  if (args.nth == 1 || outer >= 4 * args.nth || inner == 1) {
    const Range lines = args.part(outer);
    nest.rows({lines.begin * count * inner, lines.end * count * inner}, longest, put);
    return status;
  }
  const Range columns = args.part(outer * inner);
  for (int64_t at = columns.begin; at < columns.end && status;) {
    const int64_t line = at / inner, first = at % inner, n = std::min(inner - first, columns.end - at);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t begin = (line * count + i) * inner + first;
      nest.rows({begin, begin + n}, longest, put);
    }
    at += n;
  }
  return status;
}

}  // namespace

Status set_rows_supports(const TensorImpl& node) {
  for (const TensorImpl* source : node.sources)
    if (source != node.sources[0] && info(source->dtype).quantised)
      return refuse(node,
                    fmt::format("input '{}' has type {}, which must be cast first", source->name, name(source->dtype)));
  return {};
}

Status set_rows(const KernelArgs& args) {
  const TensorImpl &node = args.node, &from = args.source(1);
  const auto [axis, has_rows] = node.params.get<SetRowsParams>();
  const TensorImpl* rows = has_rows ? &args.source(2) : nullptr;
  if (own_places(node)) {
    switch (element_bytes(node.dtype)) {
      case 1: return set_elements<uint8_t>(args, axis);
      case 2: return set_elements<uint16_t>(args, axis);
      case 4: return set_elements<uint32_t>(args, axis);
      default: return set_elements<uint64_t>(args, axis);
    }
  }
  if (info(node.dtype).quantised) return set_quantised_rows(args, axis, rows);
  const int64_t size = node.sizes[axis], count = from.sizes[axis];
  const LoopNest outer(without(node.sizes, axis, 0, axis),
                       {without(node.strides, axis, 0, axis), without(from.strides, axis, 0, axis)});
  const LoopNest inner(without(node.sizes, axis, axis, node.rank()), {without(node.strides, axis, axis, node.rank()),
                                                                      without(from.strides, axis, axis, node.rank())});
  const Range slices = args.part(outer.count() * count);
  const int64_t to_bytes = element_bytes(node.dtype), from_bytes = element_bytes(from.dtype);
  for (int64_t slice = slices.begin; slice < slices.end; ++slice) {
    const int64_t i = slice % count, row = rows ? integer_at(*rows, i) : i;
    if (row < 0) continue;
    if (row >= size) return outside(node, row, i, size);
    int64_t to_at = row * node.strides[axis], from_at = i * from.strides[axis];
    outer.rows({slice / count, slice / count + 1}, 1,
               [&](const int64_t* at, int64_t) { to_at += at[0], from_at += at[1]; });
    const Side to{node.data() + to_at * to_bytes, to_bytes};
    const Side source{const_cast<std::byte*>(from.data()) + from_at * from_bytes, from_bytes};
    with_compute_type(node.dtype,
                      [&](auto zero) { write_row<decltype(zero)>(inner, to, node.dtype, source, from.dtype); });
  }
  return {};
}

}  // namespace arenascope::cpu
