// SPDX-License-Identifier: MIT
// Searches of ONNX Runtime's own domain, which write text word by word: here the nodes that they stand for, a Loop whose body is
// the decoder and the choice of the next word, so that they are drawn, planned and run as every other loop is.
#pragma once
#include "engine/models/onnx/onnx_ir.h"

#include <string>
#include <string_view>
#include <vector>

namespace arenascope::models::ir {

// Whether the node is one, of those that there are nodes for.
bool is_search(const Node& node);
bool is_search_name(std::string_view full_name);  // Node::full_name()

// Its nodes; what they make in between is called PREFIX/…. Errors: a decoder of another form, what only other searches have.
Result<std::vector<Node>> search_nodes(const Node& node, const std::string& prefix);

}  // namespace arenascope::models::ir
