// SPDX-License-Identifier: MIT
// Reads the DOT language of Graphviz: nodes, edges, attributes, and the labels of enclosing subgraphs. Positions and styles
// are skipped. The input is untrusted: depth, counts and the lengths of texts are bounded, and each title is stored once.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/wire.h>

#include <cstdint>
#include <string>
#include <vector>

namespace arenascope::trace {

struct DotNode {
  std::string id;
  std::string label;      // as written, with escapes; empty: none
  bool record = false;    // the label has fields: "name|{a|b}"
  int32_t subgraph = -1;  // index of the innermost enclosing subgraph; -1: none
};

struct DotSubgraph {
  std::string title;    // its label, or the id of a cluster; empty: none
  int32_t parent = -1;  // index of the enclosing subgraph, which comes first; -1: none
};

struct DotEdge {
  uint32_t from = 0, to = 0;  // indices of nodes
};

struct DotGraph {
  std::string name;
  std::vector<DotNode> nodes;  // in the order of their first mention
  std::vector<DotEdge> edges;
  std::vector<DotSubgraph> subgraphs;
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
