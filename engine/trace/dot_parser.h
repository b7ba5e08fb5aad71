// SPDX-License-Identifier: MIT
// Reads the DOT language of Graphviz: nodes, edges, attributes, and the labels of enclosing subgraphs. Positions and styles
// are skipped. The input is untrusted: its size, depth and the lengths of its texts are bounded.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/wire.h>

#include <cstdint>
#include <string>
#include <vector>

namespace arenascope::trace {

struct DotNode {
  std::string id;
  std::string label;                // as written, with escapes; empty: none
  bool record = false;              // the label has fields: "name|{a|b}"
  std::vector<std::string> layers;  // labels of the enclosing subgraphs, outermost first
};

struct DotEdge {
  uint32_t from = 0, to = 0;  // indices of nodes
};

struct DotGraph {
  std::string name;
  std::vector<DotNode> nodes;  // in the order of their first mention
  std::vector<DotEdge> edges;
};

// True if a text begins with an optional "strict" and "graph" or "digraph", after comments.
bool is_dot(ByteSpan head);
// `name` begins each error, which states the line.
Result<DotGraph> parse_dot(std::string_view text, const std::string& name);

// The fields of a record label, without ports and braces, with escapes replaced.
std::vector<std::string> dot_fields(std::string_view label);
// A label as one line of text.
std::string dot_text(std::string_view label);

}  // namespace arenascope::trace
