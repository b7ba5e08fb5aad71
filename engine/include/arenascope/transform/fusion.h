// SPDX-License-Identifier: MIT
// Fusion: replaces chains of ops by one FUSED node each (graph/fused.h), so that the intermediate tensors vanish from
// the memory plan. The backend decides which ops can be fused. Outputs and the nodes to keep stay.
#pragma once
#include <functional>
#include <vector>

#include <arenascope/graph/fused.h>
#include <arenascope/graph/graph.h>
#include <arenascope/transform/capabilities.h>

namespace arenascope {

struct FusionOptions {
  // Nodes whose results are inspected later: they may end a fused node but are never inside one. Outputs are kept in
  // any case.
  std::function<bool(const TensorImpl& node)> keep;
};

struct FusedGraph {
  struct Fused {
    Tensor node;               // in the new graph
    std::vector<NodeId> held;  // nodes of the given graph, in order; the last one's result is the fused node's
  };
  Graph graph;
  std::vector<Tensor> node_map;  // by NodeId of the given graph; undefined for nodes inside a fused node
  std::vector<Fused> fused;
};

// A chain starts at a node that the backend accepts as a start and grows by nodes that consume its last result, as long
// as no outside node reads an intermediate. Leaf tensors are shared with the given graph. Errors: out of memory.
Result<FusedGraph> fuse_graph(const Graph& graph, const Capabilities& backend, const FusionOptions& options = {});

}  // namespace arenascope
