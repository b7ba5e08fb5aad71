// SPDX-License-Identifier: MIT
// Shapes as kernels want them: joined dimensions, dividers, classes of numbers, sizes of grids.
#pragma once
#include <algorithm>
#include <bit>
#include <initializer_list>
#include <limits>

#include <arenascope/tensor/tensor_impl.h>
#include "engine/backends/cuda/kernels/places.h"
#include "engine/backends/cuda/lowering/queue.h"

namespace arenascope::cuda {

inline Divider divider(int64_t divisor) {
  const auto d = static_cast<uint32_t>(divisor);
  const auto shift = static_cast<uint32_t>(std::bit_width(d - 1u));  // the least with 2^shift >= d
  const uint64_t multiplier = ((uint64_t{1} << 32) * ((uint64_t{1} << shift) - d)) / d + 1;
  return {d, static_cast<uint32_t>(multiplier), shift};
}

// Adds a dimension outside of those that are there. `join`: it may become one with the last one added.
template <int kArrays>
void add_dimension(Places<kArrays>& places, int64_t size, const int64_t (&strides)[kArrays], bool join = true) {
  places.count *= size;
  if (size == 1 && join) return;
  const int last = places.rank - 1;
  bool joins = join && last >= 0;
  for (int a = 0; joins && a < kArrays; ++a) joins = strides[a] == places.strides[a][last] * places.sizes[last];
  if (joins) {
    places.sizes[last] *= size;
    return;
  }
  places.sizes[places.rank] = size;
  for (int a = 0; a < kArrays; ++a) places.strides[a][places.rank] = strides[a];
  ++places.rank;
}

// To be called when all dimensions are there.
template <int kArrays>
void finish(Places<kArrays>& places) {
  places.wide = places.count > std::numeric_limits<int32_t>::max();
  for (int d = 0; d < places.rank; ++d)
    if (!places.wide) places.dividers[d] = divider(std::max<int64_t>(places.sizes[d], 1));
}

// The stride of a tensor in dimension `d` of a shape of rank `rank` that it is broadcast to; 0 where it repeats.
inline int64_t broadcast_stride(const TensorImpl& tensor, int rank, int d) {
  const int own = d - (rank - tensor.rank());
  return own < 0 || tensor.sizes[own] == 1 ? 0 : tensor.strides[own];
}

enum class NumberClass { Float, Double, Whole };
inline NumberClass class_of(DType type) {
  if (type == DType::F64) return NumberClass::Double;
  return info(type).floating ? NumberClass::Float : NumberClass::Whole;
}
inline KernelId pick(NumberClass c, KernelId of_float, KernelId of_double, KernelId of_whole) {
  return c == NumberClass::Float ? of_float : c == NumberClass::Double ? of_double : of_whole;
}

inline char* bytes(const TensorImpl& tensor) { return reinterpret_cast<char*>(tensor.data()); }

inline bool aligned(const void* p, size_t alignment) { return reinterpret_cast<uintptr_t>(p) % alignment == 0; }
// What eight neighbours of the type need.
inline size_t vector_alignment(DType type) { return info(type).block_bytes == 1 ? 8 : 16; }

// Enough blocks for `items`, one a thread, and not many more than the device runs at once.
inline Grid grid_for(const Queue& queue, int64_t items, uint32_t threads = 256, int64_t a_multiprocessor = 16) {
  const int64_t wanted = (items + threads - 1) / threads;
  return {static_cast<uint32_t>(std::clamp<int64_t>(wanted, 1, a_multiprocessor * queue.multiprocessors())), threads,
          0};
}

}  // namespace arenascope::cuda
