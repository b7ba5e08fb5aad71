// SPDX-License-Identifier: MIT
// Inlining of functions: the body of a call, from the model (FunctionProto) or from the operator's schema.
#pragma once
#include "engine/models/onnx/onnx_ir.h"

#include <string>
#include <vector>

namespace arenascope::models::ir {

inline constexpr int64_t kMaxUnrolled = 1 << 20;  // nodes, and calls

// Inlines a call. A value x of the function becomes LABEL/x; forwarded attributes are the call's, else the function's defaults.
std::vector<Node> expand(const Function& function, const Node& call, const std::string& label);

// Errors: a function that calls itself, more inputs or outputs than it has, calls nested too deep, more than a million nodes.
Status check_functions(const File& file);

}  // namespace arenascope::models::ir
