// SPDX-License-Identifier: MIT
// Tensors with more dimensions than kMaxDims: the outermost ones are folded into one, since they are contiguous in memory.
// Operators that depend only on runs of adjacent dimensions (lower_high_rank.cpp) compute with these runs folded.
#pragma once
#include "engine/models/onnx/lowering.h"

#include <vector>

namespace arenascope::models {

using WideSizes = std::vector<int64_t>;

// All of a value's dimensions.
WideSizes full_sizes(const Value& value);

// The handler of an operator for inputs with more dimensions than kMaxDims; null: there is none.
Handler find_wide_handler(const std::string& domain, const std::string& op);

// Sets result i to `made` in memory, with dimensions `sizes`, which may be more than kMaxDims.
void out_wide(OpCall& c, size_t i, const Tensor& made, const WideSizes& sizes);
// Reshapes input 0; one size may be -1, and 0 keeps the input's size if `keeps`.
void reshape_wide(OpCall& c, WideSizes sizes, bool keeps);
// Input 0 spread over the sizes of `sizes`.
void expand_wide(OpCall& c, const WideSizes& sizes);

}  // namespace arenascope::models
