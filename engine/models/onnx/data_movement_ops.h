// SPDX-License-Identifier: MIT
// Operators that only move elements. They accept any type that is stored in a tensor of another type (small numbers,
// complex pairs, strings), and their result has the same type.
#pragma once
#include "engine/models/onnx/lowering.h"

#include <string>
#include <vector>

namespace arenascope::models {

// True if the operator copies elements of input i into its result.
bool is_moved_source(std::string_view op, size_t i);
// The first such input that is present; null if the operator moves no data.
const Value* moved_source(const ir::Node& node, const std::vector<ValuePtr>& inputs);
// The reason why the operator cannot compute with the logical types of its inputs; empty: it can.
std::string why_types_do_not_fit(const ir::Node& node, const std::vector<ValuePtr>& inputs);

}  // namespace arenascope::models
