// SPDX-License-Identifier: MIT
// Partition of a graph between a device and the host: nodes that the device cannot compute run on the host. A COPY node
// transfers each value that is needed on the other side, so copies can be shown, timed and planned like other nodes.
#pragma once
#include <functional>
#include <vector>

#include <arenascope/graph/graph.h>
#include <arenascope/transform/capabilities.h>

namespace arenascope {

struct PartitionedGraph {
  Graph graph;                          // nodes on the other side have its placement
  std::vector<Tensor> node_map;         // by NodeId of the given graph
  std::vector<TensorImpl*> main_leafs;  // leaf tensors that the main side reads; all others belong to the other side
  int64_t other_nodes = 0;              // nodes with work on the other side, not counting copies
  int64_t copies = 0;
  Bytes copied = 0;  // bytes copied per run
};

struct PartitionOptions {
  Placement other = Placement::Host;  // of nodes on the other side
  const char* to_other = " (to the host)";
  const char* to_main = " (to the device)";
  // True if a node reads this source on the node's own side; otherwise it reads it on the main side. Empty: always
  // true.
  std::function<bool(const TensorImpl& node, int source)> follows;
  bool leafs_on_main = false;  // leaf tensors cannot be on the other side
};

// Side of each node and then of each leaf tensor (1: the other side). Values for which `place` returns Either are
// assigned by a minimum cut with the fewest copies and, among those, the fewest copied bytes. A view that may be on
// either side follows its source.
std::vector<uint8_t> choose_sides(const Graph& graph, const std::function<PartitionSide(const TensorImpl&)>& place,
                                  const PartitionOptions& options = {});

// Side of a node in a device/host partition: the host if it must run there, and Either for small nodes that may move to
// the host if that saves copies.
PartitionSide side_for(const TensorImpl& node, bool must_run_on_host);

// Inserts the copies; `on_other` is the result of choose_sides(). Leaf tensors are shared with the given graph. Errors:
// out of memory.
Result<PartitionedGraph> partition_graph(const Graph& graph, const std::vector<uint8_t>& on_other,
                                         const PartitionOptions& options = {});

}  // namespace arenascope
