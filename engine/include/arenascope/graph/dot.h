// SPDX-License-Identifier: MIT
// Exports a graph in Graphviz's DOT language: one box per node, one ellipse per leaf, one arrow per use. Time and size
// are linear in the number of nodes and uses.
#pragma once
#include <string>

#include <arenascope/graph/graph.h>

namespace arenascope {

// Nodes have the identifiers n0, n1, … and leafs l0, l1, …, by their ids; labels show op, name and shape.
// Names are escaped; bytes that are not valid UTF-8 become question marks.
std::string to_dot(const Graph& graph);

}  // namespace arenascope
