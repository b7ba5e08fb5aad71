// SPDX-License-Identifier: MIT
// SET_ROWS has two ways to say where its source goes: a line of rows, each of which is one place along the axis, or, where
// its rows have more than one dimension, a place along the axis for every element, in the shape of the source. These count
// from the end where they are below 0, as GATHER_ELEMENTS's do; one outside is an error, and of several elements with one
// place the last along the axis stays.
#pragma once
#include <arenascope/graph/op_params.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope {

// Whether each element of this SET_ROWS has a place of its own.
inline bool own_places(const TensorImpl& set_rows) {
  return set_rows.params.get<SetRowsParams>().rows && set_rows.sources[2]->rank() > 1;
}

}  // namespace arenascope
