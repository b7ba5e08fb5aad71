// SPDX-License-Identifier: MIT
// A graph as text for Graphviz's `dot`: a box a node, an ellipse a leaf, an arrow a use. Time and size grow with the
// number of nodes and uses only.
#pragma once
#include <string>
#include <string_view>

#include <arenascope/graph/graph.h>

namespace arenascope {

// Nodes are called n0, n1, … and leafs l0, l1, …, by their ids; what is drawn is the op, the name and the shape.
// Names may hold anything: they are escaped, and bytes that are no UTF-8 become question marks.
std::string to_dot(const Graph& graph);

// `text` as it stands between quotes in a label.
std::string dot_escape(std::string_view text);

}  // namespace arenascope
