// SPDX-License-Identifier: MIT
// Partition of a graph between a device and the host: what the device cannot compute runs on the host, and where a
// value is needed on the other side a COPY node stands, so that copies can be seen, timed and planned like other nodes.
#pragma once
#include <functional>
#include <vector>

#include <arenascope/graph/graph.h>
#include <arenascope/transform/capabilities.h>

namespace arenascope {

struct PartitionedGraph {
  Graph graph;                          // nodes on the other side have its placement
  std::vector<Tensor> twins;            // of the given graph's nodes, by NodeId
  std::vector<TensorImpl*> main_leafs;  // those that the main side reads; the others are the other side's alone
  int64_t other_nodes = 0;              // nodes with work on the other side, copies apart
  int64_t copies = 0;
  Bytes copied = 0;  // bytes by one run
};

struct PartitionOptions {
  Placement other = Placement::Host;  // of nodes on the other side
  const char* to_other = " (to the host)";
  const char* to_main = " (to the device)";
  // Whether a node reads this source where it lies itself; otherwise on the main side. Empty: always.
  std::function<bool(const TensorImpl& node, int source)> follows;
  bool leafs_on_main = false;  // given tensors cannot lie on the other side
};

// On which side each node and then each leaf lies (1: the other side): as `place` says, and what may lie on either side
// such that copies are fewest, and of such ways the one with the least bytes (a minimum cut). A view that may lie on
// either side goes with its source.
std::vector<uint8_t> choose_sides(const Graph& graph, const std::function<Side(const TensorImpl&)>& place,
                                  const PartitionOptions& options = {});

// Which nodes the host takes over: those that it must, and small ones whose neighbours it has if that saves copies.
Side side_for(const TensorImpl& node, bool must_run_on_host);

// The graph with the copies; `on_other` as choose_sides() gives it. Leafs are the given graph's own. Errors: no memory.
Result<PartitionedGraph> partition_graph(const Graph& graph, const std::vector<uint8_t>& on_other,
                                         const PartitionOptions& options = {});

}  // namespace arenascope
