// SPDX-License-Identifier: MIT
// Rows written into a tensor where it lies: each element finds its row among the indices. Of several rows with one
// index, whichever thread comes last stays.
#pragma once
#include "engine/backends/cuda/kernels/movement.h"

namespace arenascope::cuda {

struct SetRowsWork {
  Places<3> places;  // over what is written: 0 the destination but for its rows, 1 the source, 2 the rows' indices
  char* to = nullptr;
  const char* from = nullptr;
  const char* rows = nullptr;  // null: array 0 has the rows too
  DType row_type = DType::I64;
  DType to_type = DType::F32, from_type = DType::F32;
  int32_t bytes = 4;                // of what is moved at once, where the types are one
  int64_t entries = 0, stride = 0;  // of the destination's rows
  unsigned long long node = 0;
  IndexFault* fault = nullptr;
};

// An element as one of another type: as CAST makes it.
ARENASCOPE_DEVICE void move_as(DType to_type, char* out, int64_t to, DType from_type, const char* in, int64_t from) {
  if (!is_float(from_type))
    put_called(to_type, out, to, get_called<int64_t>(from_type, in, from));
  else if (from_type == DType::F64 || to_type == DType::F64 || !is_float(to_type))
    put_called(to_type, out, to, get_called<double>(from_type, in, from));
  else
    put_called(to_type, out, to, get_called<float>(from_type, in, from));
}

ARENASCOPE_KERNEL(set_rows, SetRowsWork) {
  for (int64_t i = block() * threads() + thread(); i < p.places.count; i += blocks() * threads()) {
    int64_t index[kPlaceDims];
    unravel(p.places, i, index);
    int64_t to = offset(p.places, 0, index);
    if (p.rows) {
      const int64_t row = get<int64_t>(p.row_type, p.rows, offset(p.places, 2, index));
      if (row < 0) continue;
      if (row >= p.entries) {
        note_fault(p.fault, p.node, row, p.entries);
        continue;
      }
      to += row * p.stride;
    }
    const int64_t from = offset(p.places, 1, index);
    if (p.to_type == p.from_type)
      move(p.bytes, p.to, to, p.from, from);
    else
      move_as(p.to_type, p.to, to, p.from_type, p.from, from);
  }
}

}  // namespace arenascope::cuda
