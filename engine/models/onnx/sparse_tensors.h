// SPDX-License-Identifier: MIT
// Sparse tensors of a file: values and indices. They are expanded to dense tensors when they are loaded.
#pragma once
#include <arenascope/models/host_array.h>
#include "engine/models/onnx/onnx_ir.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace arenascope::models::ir {

// `values` at `indices`, I64: linear indices, or one per dimension. If an index repeats, the last value wins. A type that is
// not supported is known by name and never read. Errors: an index out of range, invalid sizes.
Result<TensorData> with_zeros(const TensorData& values, const TensorData& indices, const std::vector<int64_t>& sizes);

// The elements of a tensor of the file, stored as `dtype`; null if they are too many to be known when a model is opened,
// or cannot be read.
std::shared_ptr<HostArray> known_numbers(const TensorData& data, DType dtype);

}  // namespace arenascope::models::ir
