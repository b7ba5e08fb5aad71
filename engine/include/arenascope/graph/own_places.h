// SPDX-License-Identifier: MIT
// SET_ROWS has two forms of indices. A vector of rows gives one index along the axis per row of the source. Indices
// with more than one dimension have the shape of the source and give one index along the axis per element (ONNX
// ScatterElements). The latter count from the end if negative, like those of GATHER_ELEMENTS; an index out of range is
// an error, and of several elements with the same index the last along the axis is stored.
#pragma once
#include <arenascope/graph/op_params.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope {

// True if this SET_ROWS has one index per element.
inline bool own_places(const TensorImpl& set_rows) {
  return set_rows.params.get<SetRowsParams>().rows && set_rows.sources[2]->rank() > 1;
}

}  // namespace arenascope
