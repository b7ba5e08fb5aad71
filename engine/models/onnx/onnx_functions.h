// SPDX-License-Identifier: MIT
// Functions: the nodes that a call of one stands for, whether the model tells them (FunctionProto) or the operator's schema.
#pragma once
#include "engine/models/onnx/onnx_ir.h"

#include <string>
#include <vector>

namespace arenascope::models::ir {

inline constexpr int64_t kMaxUnrolled = 1 << 20;  // nodes, and calls

// What the function calls x becomes LABEL/x; attributes that it passes on are the call's, else the function's own.
std::vector<Node> expand(const Function& function, const Node& call, const std::string& label);

// Errors: a function that calls itself, more inputs or outputs than it has, calls nested too deep, more than a million nodes.
Status check_functions(const File& file);

}  // namespace arenascope::models::ir
