// SPDX-License-Identifier: MIT
#include <vector>

#include <arenascope/graph/order.h>

namespace arenascope {

// Depth-first order from the outputs, like the order of collection but with the last input of each node first.
// Iterative.
Result<std::vector<NodeId>> reverse_depth_first_order(const Graph& graph, const OrderOptions&) {
  const auto nodes = graph.nodes();
  struct Frame {
    NodeId node;
    size_t left;  // sources not yet visited, the last ones first
  };
  std::vector<uint8_t> seen(nodes.size(), 0);
  std::vector<Frame> stack;
  std::vector<NodeId> order;
  order.reserve(nodes.size());
  const auto visit = [&](NodeId id) {
    if (!id.valid() || seen[id.index()]) return;
    seen[id.index()] = 1;
    stack.push_back({id, nodes[id.index()]->sources.size()});
  };
  const auto finish = [&] {
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.left > 0) {
        visit(graph.find_node(*nodes[frame.node.index()]->sources[--frame.left]));  // may move the stack
      } else {
        order.push_back(frame.node);
        stack.pop_back();
      }
    }
  };
  // Collection started at nodes without readers; the last of them reaches back furthest.
  for (size_t i = nodes.size(); i-- > 0;) {
    if (graph.use_count(*nodes[i]) > 0) continue;
    visit(NodeId(i));
    finish();
  }
  return order;
}

}  // namespace arenascope
