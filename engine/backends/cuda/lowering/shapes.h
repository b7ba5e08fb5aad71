// SPDX-License-Identifier: MIT
// Shapes in the form that kernels need: merged dimensions, dividers, classes of numbers, grid sizes.
#pragma once
#include <algorithm>
#include <bit>
#include <initializer_list>
#include <limits>

#include <arenascope/tensor/tensor_impl.h>
#include "engine/backends/cuda/kernels/strided_indexer.h"
#include "engine/backends/cuda/lowering/queue.h"

namespace arenascope::cuda {

inline Divider divider(int64_t divisor) {
  const auto d = static_cast<uint32_t>(divisor);
  const auto shift = static_cast<uint32_t>(std::bit_width(d - 1u));  // the smallest with 2^shift >= d
  const uint64_t multiplier = ((uint64_t{1} << 32) * ((uint64_t{1} << shift) - d)) / d + 1;
  return {d, static_cast<uint32_t>(multiplier), shift};
}

// Adds a dimension outside the existing ones. `join`: it may be merged with the last one.
template <int kArrays>
void add_dimension(StridedIndexer<kArrays>& indexer, int64_t size, const int64_t (&strides)[kArrays],
                   bool join = true) {
  indexer.count *= size;
  if (size == 1 && join) return;
  const int last = indexer.rank - 1;
  bool joins = join && last >= 0;
  for (int a = 0; joins && a < kArrays; ++a) joins = strides[a] == indexer.strides[a][last] * indexer.sizes[last];
  if (joins) {
    indexer.sizes[last] *= size;
    return;
  }
  indexer.sizes[indexer.rank] = size;
  for (int a = 0; a < kArrays; ++a) indexer.strides[a][indexer.rank] = strides[a];
  ++indexer.rank;
}

// To be called after the last dimension.
template <int kArrays>
void finish(StridedIndexer<kArrays>& indexer) {
  indexer.wide = indexer.count > std::numeric_limits<int32_t>::max();
  for (int d = 0; d < indexer.rank; ++d)
    if (!indexer.wide) indexer.dividers[d] = divider(std::max<int64_t>(indexer.sizes[d], 1));
}

// Stride of a tensor in dimension `d` of a shape of rank `rank` that it is broadcast to; 0 where it is broadcast.
inline int64_t broadcast_stride(const TensorImpl& tensor, int rank, int d) {
  const int own = d - (rank - tensor.rank());
  return own < 0 || tensor.sizes[own] == 1 ? 0 : tensor.strides[own];
}

enum class NumberClass { Float, Double, Whole };
inline NumberClass class_of(DType type) {
  if (type == DType::F64) return NumberClass::Double;
  return info(type).floating ? NumberClass::Float : NumberClass::Whole;
}
inline KernelId pick(NumberClass c, KernelId of_float, KernelId of_double, KernelId of_integer) {
  return c == NumberClass::Float ? of_float : c == NumberClass::Double ? of_double : of_integer;
}

inline char* bytes(const TensorImpl& tensor) { return reinterpret_cast<char*>(tensor.data()); }

// True if the memory of two tensors does not overlap.
inline bool is_disjoint(const TensorImpl& a, const TensorImpl& b) {
  return bytes(a) + a.byte_span() <= bytes(b) || bytes(b) + b.byte_span() <= bytes(a);
}
inline bool aligned(const void* p, size_t alignment) { return reinterpret_cast<uintptr_t>(p) % alignment == 0; }
// Alignment of eight adjacent elements of the type.
inline size_t vector_alignment(DType type) { return info(type).block_bytes == 1 ? 8 : 16; }

// Enough blocks for `items` threads, but not many more than the device runs at once.
inline Grid grid_for(const Queue& queue, int64_t items, uint32_t threads = 256, int64_t a_multiprocessor = 16) {
  const int64_t blocks = (items + threads - 1) / threads;
  return {static_cast<uint32_t>(std::clamp<int64_t>(blocks, 1, a_multiprocessor * queue.multiprocessors())), threads,
          0};
}

}  // namespace arenascope::cuda
