// SPDX-License-Identifier: MIT
// Row ops: reductions, selections, cumulative sums, softmax and normalisations. A row is the set of elements with all
// other dimensions fixed; it may have several dimensions and any strides.
#pragma once
#include <math.h>

#include "engine/backends/cuda/kernels/group.h"
#include "engine/backends/cuda/kernels/numbers.h"
#include "engine/backends/cuda/kernels/strided_indexer.h"

namespace arenascope::cuda {

enum class RowOpcode : int32_t {
  Sum,
  Mean,
  Max,
  Min,
  Prod,
  L2,  // reductions
  Norm,
  RmsNorm,
  SoftMax,
  LogSoftMax,
};

inline constexpr int kKept = 4;  // vectors of a row that a thread keeps in registers

struct RowWork {
  StridedIndexer<4> rows, along;  // arrays: 0 the result, 1 the input, 2 and 3 a mask, gain or bias
  char* out = nullptr;
  const char* in[3] = {};
  DType out_type = DType::F32;
  DType types[3] = {};
  int32_t inputs = 1;
  RowOpcode what = RowOpcode::Sum;
  GroupKind group = GroupKind::Warp;
  bool kept = false;    // the row is contiguous, aligned, and fits in the group's registers
  bool values = false;  // top k returns values instead of indices
  bool largest = false, last = false, exclusive = false, reverse = false;
  double number = 0;  // epsilon, or the softmax's scale
  int64_t k = 0;
};

// Offset of a row's first element in each array.
struct RowOffsets {
  int64_t start[4];
};
ARENASCOPE_DEVICE RowOffsets row_at(const RowWork& p, int64_t number) {
  RowOffsets row;
  offsets_of(p.rows, number, row.start);
  return row;
}
ARENASCOPE_CALLED int64_t along_several(const RowWork& p, int array, int64_t i) {
  return element_offset(p.along, array, i);
}
ARENASCOPE_DEVICE int64_t along(const RowWork& p, const RowOffsets& row, int array, int64_t i) {
  return row.start[array] + (p.along.rank < 2 ? i * p.along.strides[array][0] : along_several(p, array, i));
}
template <class N>
ARENASCOPE_DEVICE N source(const RowWork& p, const RowOffsets& row, int input, int64_t i) {
  return get_one<N>(p.types[input], p.in[input], along(p, row, input + 1, i));
}

}  // namespace arenascope::cuda
