// SPDX-License-Identifier: MIT
// Sparse tensors of a file: numbers and where they are. Here they are held with their zeros, which are made when they are loaded.
#pragma once
#include "engine/models/onnx/onnx_ir.h"

#include <cstdint>
#include <vector>

namespace arenascope::models::ir {

// `values` at `places`, I64: one index for each in a line of all, or as many as there are dimensions. The last number of a place
// holds. Of a type that no tensor has: known by name, never read. Errors: a place that there is not, sizes that make no sense.
Result<TensorData> with_zeros(const TensorData& values, const TensorData& places, const std::vector<int64_t>& sizes);

}  // namespace arenascope::models::ir
