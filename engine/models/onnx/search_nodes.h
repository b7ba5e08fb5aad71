// SPDX-License-Identifier: MIT
// Searches of ONNX Runtime's own domain, which write text word by word: here the nodes that they stand for, a Loop whose body is
// the decoder and the choice of the next word, so that they are drawn, planned and run as every other loop is.
#pragma once
#include "engine/models/onnx/onnx_ir.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::models::ir {

// Whether the node is one, of those that there are nodes for.
bool is_search(const Node& node);
bool is_search_name(std::string_view full_name);  // Node::full_name()

// The sources without whose values there are no nodes: how many texts it goes on with at once, ...
std::span<const size_t> search_counts(const Node& node);

// A source that is one integer; none where that is not known.
using Known = std::function<std::optional<int64_t>(size_t source)>;
// How large a source is; null where that is not known.
using SizesOf = std::function<const Dims*(size_t source)>;

// Its nodes; what they make in between is called PREFIX/…. Errors: a decoder of another form, counts out of range, sources that
// do not fit, what ONNX Runtime does not have on a CPU.
Result<std::vector<Node>> search_nodes(const Node& node, const std::string& prefix, const Known& known,
                                       const SizesOf& sizes);

}  // namespace arenascope::models::ir
