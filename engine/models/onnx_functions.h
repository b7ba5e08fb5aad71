// SPDX-License-Identifier: MIT
// A model's own functions (FunctionProto): each node that calls one is replaced by the nodes that the function consists of.
#pragma once
#include <arenascope/base/result.h>

namespace onnx {
class ModelProto;
}

namespace arenascope::models::ir {

// In the graph and in the graphs inside of its nodes. What a function calls x becomes NODE/x; attributes that it passes on
// are the node's, else the function's own. Errors: a function that calls itself, more inputs or outputs than it has,
// another opset than the model's, more than a million nodes.
Status expand_functions(onnx::ModelProto& model);

}  // namespace arenascope::models::ir
