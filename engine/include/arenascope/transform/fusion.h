// SPDX-License-Identifier: MIT
// Fusion: a graph in which chains of ops are one node each (FUSED, graph/fused.h), so that the tensors between them
// vanish from the plan. What is fused is what the backend says it can; outputs and what the caller wants to see stay.
#pragma once
#include <functional>
#include <vector>

#include <arenascope/graph/fused.h>
#include <arenascope/graph/graph.h>
#include <arenascope/transform/capabilities.h>

namespace arenascope {

struct FusionOptions {
  // Nodes whose results are to be inspected: they may end a fused node, and are never inside of one. Outputs are
  // kept without being asked for.
  std::function<bool(const TensorImpl& node)> keep;
};

struct FusedGraph {
  struct Fused {
    Tensor node;               // of the new graph
    std::vector<NodeId> held;  // of the given one, in order; the last one's result is the node's
  };
  Graph graph;
  std::vector<Tensor> twins;  // of the given graph's nodes, by NodeId; undefined for those inside of a fused node
  std::vector<Fused> fused;
};

// A chain begins with a node that the backend takes as a beginning and grows by nodes that work on its last result, as
// long as no node outside reads what lies inside. Leafs are the given graph's own. Errors: no memory.
Result<FusedGraph> fuse_graph(const Graph& graph, const Capabilities& backend, const FusionOptions& options = {});

}  // namespace arenascope
