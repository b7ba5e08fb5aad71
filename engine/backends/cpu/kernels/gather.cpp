// SPDX-License-Identifier: MIT
// Rows and elements selected by index. A negative index counts from the end; an index out of range is an error.
#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/negative_indices.h"
#include "engine/backends/cpu/quant/quant.h"

namespace arenascope::cpu {
namespace {

Error outside(const TensorImpl& node, int64_t index, int64_t place, int64_t size) {
  return refuse(node,
                fmt::format("index {} (at position {}) is out of range for a table of {} rows", index, place, size));
}

template <class T>
void move(T* to, const T* from, int64_t stride, int64_t n) {
  if (stride == 1)
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
  else
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
}

template <class F>
Status with_width(DType type, F&& f) {
  switch (element_bytes(type)) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
  }
}

// A range of a tensor's sizes or strides.
Dims part(const Dims& dims, int begin, int end) {
  Dims out;
  for (int i = begin; i < end; ++i) out.push_back(dims[i]);
  return out;
}

// Indices [begin, begin + n) as non-negative table indices.
Status places_of(const KernelArgs& args, int axis, int64_t begin, int64_t n, int64_t* places) {
  const TensorImpl &table = args.source(0), &indices = args.source(1);
  const int64_t size = table.sizes[axis], stride = table.strides[axis];
  load_elements(indices, begin, n, places);
  if (!from_front(places, n, size)) {
    const auto [number, index] = first_outside(places, n, size);
    return outside(args.node, index, begin + number, size);
  }
  for (int64_t i = 0; i < n; ++i) places[i] *= stride;
  return {};
}

// One element, or a few contiguous ones, per index: a loop over indices that are normalised once.
template <class T>
Status gather_few(const KernelArgs& args, int axis, const LoopNest& outer, const LoopNest& inner) {
  const int64_t count = args.source(1).element_count(), few = inner.count(), step = inner.inner_stride(0);
  const T* const table = args.source(0).data_as<T>();
  const auto pick = [&](T* to, const T* from, const int64_t* place, int64_t n) {
    if (few == 1)
      for (int64_t i = 0; i < n; ++i) to[i] = from[place[i]];
    else
      for (int64_t i = 0; i < n; ++i, to += few) move(to, from + place[i], step, few);
  };
  const Range slices = args.part(outer.count() * count);
  if (outer.count() == 1) {  // each index is needed once
    int64_t places[256];
    for (int64_t at = slices.begin; at < slices.end;) {
      const int64_t n = std::min<int64_t>(256, slices.end - at);
      if (auto ok = places_of(args, axis, at, n, places); !ok) return ok;
      pick(args.node.data_as<T>() + at * few, table, places, n);
      at += n;
    }
    return {};
  }
  std::vector<int64_t> places(static_cast<size_t>(count));
  if (auto ok = places_of(args, axis, 0, count, places.data()); !ok) return ok;
  for (int64_t slice = slices.begin; slice < slices.end;) {
    const int64_t line = slice / count, first = slice % count, n = std::min(count - first, slices.end - slice);
    int64_t base = 0;
    outer.rows({line, line + 1}, 1, [&](const int64_t* at, int64_t) { base = at[0]; });
    pick(args.node.data_as<T>() + slice * few, table + base, places.data() + first, n);
    slice += n;
  }
  return {};
}

}  // namespace

// out[outer…, index…, inner…] = table[outer…, indices[index…], inner…]
Status gather(const KernelArgs& args) {
  const TensorImpl &node = args.node, &table = args.source(0), &indices = args.source(1);
  const int axis = node.params.get<AxisParams>().axis;
  const Dims outer = part(table.sizes, 0, axis), inner = part(table.sizes, axis + 1, table.rank());
  const int64_t inner_count = element_count(inner), index_count = indices.element_count(), size = table.sizes[axis];
  const LoopNest outer_nest(outer, {part(table.strides, 0, axis)});
  const LoopNest inner_nest(inner, {part(table.strides, axis + 1, table.rank())});
  const DTypeInfo& type = info(table.dtype);
  constexpr int64_t kFewElements = 32;
  if (!type.quantised && inner_count <= kFewElements && inner_nest.inner_size() == inner_count)
    return with_width(table.dtype, [&](auto zero) -> Status {
      return gather_few<decltype(zero)>(args, axis, outer_nest, inner_nest);
    });
  const Range slices = args.part(element_count(outer) * index_count);
  for (int64_t slice = slices.begin; slice < slices.end; ++slice) {
    const int64_t place = slice % index_count;
    int64_t index = integer_at(indices, place);
    if (index < -size || index >= size) return outside(node, index, place, size);
    if (index < 0) index += size;
    int64_t base = index * table.strides[axis];
    outer_nest.rows({slice / index_count, slice / index_count + 1}, 1,
                    [&](const int64_t* at, int64_t) { base += at[0]; });
    int64_t done = slice * inner_count;
    inner_nest.rows({0, inner_count}, inner_count, [&](const int64_t* at, int64_t n) {
      if (type.quantised) {
        dequantise(table.dtype, table.data() + (base + at[0]) / type.block_elements * type.block_bytes,
                   node.data_as<float>() + done, n);
      } else {
        (void)with_width(table.dtype, [&](auto zero) -> Status {
          using T = decltype(zero);
          move(node.data_as<T>() + done, table.data_as<T>() + base + at[0], inner_nest.inner_stride(0), n);
          return {};
        });
      }
      done += n;
    });
  }
  return {};
}

// out[i, j, …] = table[i, indices[i, j, …], …], with the index in dimension `axis`.
Status gather_elements(const KernelArgs& args) {
  const TensorImpl &node = args.node, &table = args.source(0), &indices = args.source(1);
  const int axis = node.params.get<AxisParams>().axis;
  Dims strides = table.strides;
  const int64_t along = strides[axis], size = table.sizes[axis];
  strides[axis] = 0;
  const LoopNest nest(node.sizes, {node.strides, strides, indices.strides});
  const LoadRow<int64_t> load = loader<int64_t>(indices.dtype);
  const int64_t index_bytes = element_bytes(indices.dtype);
  return with_width(table.dtype, [&](auto zero) -> Status {
    using T = decltype(zero);
    Status status;
    nest.rows(args.part(nest.count(), 64), 256, [&](const int64_t* at, int64_t n) {
      if (!status) return;
      int64_t index[256];
      load(index, indices.data() + at[2] * index_bytes, nest.inner_stride(2), n);
      T* to = node.data_as<T>() + at[0];
      const T* from = table.data_as<T>() + at[1];
      if (!from_front(index, n, size)) {
        const auto [number, bad] = first_outside(index, n, size);
        status = outside(node, bad, at[0] + number, size);
        return;
      }
      const int64_t step = nest.inner_stride(1);
      if (step == 0 && along == 1)
        for (int64_t i = 0; i < n; ++i) to[i] = from[index[i]];
      else
        for (int64_t i = 0; i < n; ++i) to[i] = from[i * step + index[i] * along];
    });
    return status;
  });
}

}  // namespace arenascope::cpu
