// SPDX-License-Identifier: MIT
// Rewriting: groups of nodes that exporters emit for one op become that op, and branches over constants are computed
// once. Each rule has a name, recorded in the nodes that it creates (graph/provenance), and an error bound relative to
// the original graph. rewrite_rules() lists all rules.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <arenascope/graph/graph.h>
#include <arenascope/graph/provenance.h>

namespace arenascope {

struct RewriteRule {
  const char* name;   // "layer norm"
  const char* does;   // description, shown to the user
  const char* bound;  // "bit-exact", or the largest difference
};

// In the order in which they are tried.
std::span<const RewriteRule> rewrite_rules();

struct RewriteOptions {
  // Elements of a constant leaf, row by row; empty if unknown. Called only for leaf tensors of at most kMaxElements
  // elements, by rules that need them.
  std::function<std::vector<double>(const TensorImpl& leaf)> numbers;
  // Nodes whose results are inspected; they are computed like outputs.
  std::function<bool(const TensorImpl& node)> keep;
  // Bytes that a folded constant may take beyond those of the weights that it is computed from.
  Bytes max_constant_bytes = Bytes{64} << 10;
  // Largest convolution weight to fold into. Folded weights are allocated; unchanged ones stay in the pages of the
  // mapped file.
  Bytes max_folded_bytes = Bytes{1} << 20;
  // True if int8 matmul is faster on the backend than matmul of the dequantised floats.
  bool bytes = true;

  static constexpr int64_t kMaxElements = int64_t{1} << 18;
};

// A rule and how often it was applied.
struct RuleUse {
  const RewriteRule* rule = nullptr;
  int64_t times = 0;
  int64_t nodes = 0;  // nodes of the original graph that it replaced
};

// A leaf of the rewritten graph that replaces a branch of nodes over weights alone; `graph` computes it.
struct ConstantBranch {
  // A leaf of the branch, with the current memory of the given graph's leaf that it replaces.
  struct Given {
    Tensor leaf;
    const TensorImpl* from;
  };
  Tensor leaf;
  Graph graph;    // has one output, `result`
  Tensor result;  // of the leaf's type and sizes
  std::vector<Given> given;
};

struct RewrittenGraph {
  Graph graph;
  std::vector<Tensor> node_map;           // by NodeId of the given graph; undefined for removed nodes
  std::vector<RuleUse> uses;              // of the rules that were applied, in table order
  std::vector<ConstantBranch> constants;  // leaf tensors whose bytes must be computed
};

// Applies all rules. A graph with gradients is returned unchanged. Nodes that write into tensors, and readers of a
// tensor before it is written, stay. Other leaf tensors are shared with the given graph. Errors: out of memory.
Result<RewrittenGraph> rewrite_graph(const Graph& graph, const RewriteOptions& options = {});

}  // namespace arenascope
