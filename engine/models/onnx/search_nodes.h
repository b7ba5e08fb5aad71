// SPDX-License-Identifier: MIT
// Search operators of ONNX Runtime's domain, which generate text, as nodes: a Loop whose body is the decoder and the choice of
// the next token, so that it is shown, planned and run like every other loop.
#pragma once
#include "engine/models/onnx/onnx_ir.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::models::ir {

// True if the node is a supported search operator.
bool is_search(const Node& node);
bool is_search_name(std::string_view full_name);  // Node::full_name()

// The inputs that must be known to build the nodes: the number of beams, ...
std::span<const size_t> search_counts(const Node& node);

// The value of an integer input; none if it is unknown.
using Known = std::function<std::optional<int64_t>(size_t source)>;
// The shape of an input; null if it is not known.
using SizesOf = std::function<const Dims*(size_t source)>;

// The nodes of a search, with intermediate values named PREFIX/…. Errors: a decoder of another form, counts out of range,
// inputs that do not match, features that ONNX Runtime does not have on a CPU.
Result<std::vector<Node>> search_nodes(const Node& node, const std::string& prefix, const Known& known,
                                       const SizesOf& sizes);

}  // namespace arenascope::models::ir
