// SPDX-License-Identifier: MIT
// Rows written into a tensor where it lies: each element finds its row among the indices. Of several rows with one
// index, whichever thread comes last stays; elements with places of their own are written in order, a column by one thread.
#pragma once
#include "engine/backends/cuda/kernels/movement.h"

namespace arenascope::cuda {

struct SetRowsWork {
  // Over what is written, but for the axis where elements have places of their own: 0 the destination but for its rows, 1 the
  // source, 2 the rows' indices.
  Places<3> places;
  char* to = nullptr;
  const char* from = nullptr;
  const char* rows = nullptr;  // null: array 0 has the rows too
  DType row_type = DType::I64;
  DType to_type = DType::F32, from_type = DType::F32;
  int32_t bytes = 4;                               // of what is moved at once, where the types are one
  int64_t entries = 0, stride = 0;                 // of the destination's rows
  int64_t steps = 1, from_step = 0, row_step = 0;  // along the axis, of elements with places of their own
  bool own_places = false;
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
    int64_t at[3];
    places_of(p.places, i, at);
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
