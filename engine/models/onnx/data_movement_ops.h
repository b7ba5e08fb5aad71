// SPDX-License-Identifier: MIT
// Which operators move elements and compute nothing with them: those take any type that tensors hold as another one (small
// numbers, pairs of complex ones, strings), and their result is of that type again.
#pragma once
#include "engine/models/onnx/lowering.h"

#include <string>
#include <vector>

namespace arenascope::models {

// Whether source i holds elements that the operator's result is made of.
bool is_moved_source(std::string_view op, size_t i);
// The first of them that is there; null where the operator moves nothing.
const Value* moved_source(const ir::Node& node, const std::vector<ValuePtr>& inputs);
// Why the types that its sources remember keep the operator from being computed; empty where they do not.
std::string why_types_do_not_fit(const ir::Node& node, const std::vector<ValuePtr>& inputs);

}  // namespace arenascope::models
