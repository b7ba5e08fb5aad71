// SPDX-License-Identifier: MIT
// Rewriting: nodes that together compute what one op does, as exporters spell it out, become that op; what needs no run
// is taken out of it. Each rule has a name, which the nodes that it makes carry (graph/origin.h), and a bound: how far
// results may differ from those of the graph as it was written. rewrite_rules() lists all of them.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <arenascope/graph/graph.h>
#include <arenascope/graph/origin.h>

namespace arenascope {

struct RewriteRule {
  const char* name;   // "layer norm"
  const char* does;   // one sentence
  const char* bound;  // "to the bit", or how far off
};

// In the order in which they are tried.
std::span<const RewriteRule> rewrite_rules();

struct RewriteOptions {
  // The numbers of a constant leaf, row by row; empty where they are not known. It is asked for leafs of at most
  // kMostNumbers elements, and only by rules that hang on them.
  std::function<std::vector<double>(const TensorImpl& leaf)> numbers;
  // Nodes whose results are to be inspected. They are computed, as outputs are.
  std::function<bool(const TensorImpl& node)> keep;
  // Bytes that a constant may take beyond those of the weights that it is made of.
  Bytes most_constant_bytes = Bytes{64} << 10;
  // Of a convolution's weights that others take the place of: those of a file lie in its pages, the others do not.
  Bytes most_folded_bytes = Bytes{1} << 20;
  // Whether products of bytes are quicker than those of the floats that were opened from them.
  bool bytes = true;

  static constexpr int64_t kMostNumbers = int64_t{1} << 18;
};

// A rule and how often it was used.
struct RuleUse {
  const RewriteRule* rule = nullptr;
  int64_t times = 0;
  int64_t nodes = 0;  // of the graph as it was written, that it replaced
};

// A leaf of the rewritten graph that takes the place of a branch of nodes over weights alone: `graph` computes it.
struct ConstantBranch {
  // A leaf of the branch, with the memory that the given graph's leaf, whose place it takes, has at the moment.
  struct Given {
    Tensor leaf;
    const TensorImpl* from;
  };
  Tensor leaf;
  Graph graph;    // its only output is
  Tensor result;  // of the leaf's type and sizes
  std::vector<Given> given;
};

struct RewrittenGraph {
  Graph graph;
  std::vector<Tensor> twins;              // of the given graph's nodes, by NodeId; undefined for those that are gone
  std::vector<RuleUse> uses;              // of rules that were used, in their order
  std::vector<ConstantBranch> constants;  // leafs whose bytes must be made
};

// The graph after all rules. A graph with gradients stays as it is. Of a graph that writes into tensors the writing nodes
// stay, and what reads a tensor before it is written. Other leafs are the given graph's own. Errors: no memory.
Result<RewrittenGraph> rewrite_graph(const Graph& graph, const RewriteOptions& options = {});

}  // namespace arenascope
