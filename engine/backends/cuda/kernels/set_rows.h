// SPDX-License-Identifier: MIT
// SET_ROWS in place: each element finds its row among the indices. If several rows have one index, the last write wins;
// elements with individual indices are written in order, one column per thread.
#pragma once
#include "engine/backends/cuda/kernels/movement.h"

namespace arenascope::cuda {

struct SetRowsWork {
  // Over the written elements, without the axis if elements have individual indices: 0 the destination without its
  // rows, 1 the input, 2 the row indices.
  StridedIndexer<3> indexer;
  char* to = nullptr;
  const char* from = nullptr;
  const char* rows = nullptr;  // null: array 0 includes the rows
  DType row_type = DType::I64;
  DType to_type = DType::F32, from_type = DType::F32;
  int32_t bytes = 4;                               // per copy, if the types are equal
  int64_t entries = 0, stride = 0;                 // number and stride of the destination's rows
  int64_t steps = 1, from_step = 0, row_step = 0;  // along the axis, for elements with individual indices
  bool own_places = false;
  unsigned long long node = 0;
  IndexFault* fault = nullptr;
};

// Converts an element to another type, as CAST does.
ARENASCOPE_DEVICE void move_as(DType to_type, char* out, int64_t to, DType from_type, const char* in, int64_t from) {
  if (!is_float(from_type))
    put_called(to_type, out, to, get_called<int64_t>(from_type, in, from));
  else if (from_type == DType::F64 || to_type == DType::F64 || !is_float(to_type))
    put_called(to_type, out, to, get_called<double>(from_type, in, from));
  else
    put_called(to_type, out, to, get_called<float>(from_type, in, from));
}

ARENASCOPE_KERNEL(set_rows, SetRowsWork) {
  for (int64_t i = block() * threads() + thread(); i < p.indexer.count; i += blocks() * threads()) {
    int64_t at[3];
    offsets_of(p.indexer, i, at);
    for (int64_t k = 0; k < p.steps; ++k) {
      int64_t to = at[0];
      if (p.rows) {
        const int64_t named = get<int64_t>(p.row_type, p.rows, at[2] + k * p.row_step);
        if (named < 0 && !p.own_places) continue;
        const int64_t row = named < 0 ? named + p.entries : named;
        if (row < 0 || row >= p.entries) {
          note_fault(p.fault, p.node, named, p.entries);
          continue;
        }
        to += row * p.stride;
      }
      const int64_t from = at[1] + k * p.from_step;
      if (p.to_type == p.from_type)
        move(p.bytes, p.to, to, p.from, from);
      else
        move_as(p.to_type, p.to, to, p.from_type, p.from, from);
    }
  }
}

}  // namespace arenascope::cuda
