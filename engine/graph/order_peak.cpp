// SPDX-License-Identifier: MIT
#include <arenascope/graph/order_peak.h>

#include <algorithm>
#include <limits>
#include <vector>

#include <arenascope/graph/op.h>

namespace arenascope {

// Written over the graph itself rather than over OrderProblem, so that each checks the other.
Bytes order_peak(const Graph& graph, std::span<const NodeId> order, bool keep_outputs) {
  const auto nodes = graph.nodes();
  constexpr size_t kNone = std::numeric_limits<size_t>::max();
  const auto owner = [&](const TensorImpl& tensor) {  // of the bytes; kNone for given ones
    const TensorImpl& root = tensor.view_source ? *tensor.view_source : tensor;
    const NodeId id = root.op == Op::None ? NodeId::none() : graph.find_node(root);
    return id.valid() ? id.index() : kNone;
  };
  std::vector<size_t> last(nodes.size(), 0);
  for (size_t step = 0; step < order.size(); ++step) {
    const TensorImpl& node = graph.node(order[step]);
    const size_t own = owner(node);
    if (own != kNone) last[own] = keep_outputs && node.has(kFlagOutput) ? order.size() : std::max(last[own], step);
    for (const TensorImpl* source : node.sources)
      if (const size_t from = owner(*source); from != kNone) last[from] = std::max(last[from], step);
  }
  std::vector<Bytes> ends(order.size() + 1, 0);  // freed behind a step; at most as much as has begun, so no overflow
  Bytes live = 0, most = 0;
  for (size_t step = 0; step < order.size(); ++step) {
    const NodeId id = order[step];
    const TensorImpl& node = graph.node(id);
    if (owner(node) == id.index()) {
      const Bytes bytes = node.byte_count();
      if (__builtin_add_overflow(live, bytes, &live)) return std::numeric_limits<Bytes>::max();
      if (last[id.index()] < order.size()) ends[last[id.index()]] += bytes;
    }
    most = std::max(most, live);
    live -= ends[step];
  }
  return most;
}

}  // namespace arenascope
