// SPDX-License-Identifier: MIT
#include <arenascope/graph/order.h>

#include <fmt/format.h>

namespace arenascope {
namespace {

constexpr OrderInfo kOrders[] = {
    {"depth-first", "as collected from the outputs: inputs just before their first user", depth_first_order},
    {"breadth-first", "level by level: whatever has become ready first runs first", breadth_first_order},
    {"reverse-depth-first", "depth first, but the last input of each node first", reverse_depth_first_order},
    {"ge", "CANN GE's: depth first, then nodes whose inputs live long anyway move to their first consumer", ge_order},
    {"least-peak-first", "PyTorch Inductor's: of the ready nodes the one that raises the peak least",
     least_peak_first_order},
    {"least-peak-late", "least peak first, then each result as late as keeps no more bytes alive",
     least_peak_late_order},
    {"search", "the best of the others, improved until its budget ends or it is proved to be optimal", searched_order},
};

}  // namespace

std::span<const OrderInfo> all_orders() { return kOrders; }

const OrderInfo* find_order(std::string_view name) {
  for (const OrderInfo& order : kOrders)
    if (name == order.name) return &order;
  return nullptr;
}

Status check_order(const Graph& graph, std::span<const NodeId> order) {
  const auto nodes = graph.nodes();
  if (order.size() != nodes.size())
    return Error{fmt::format("an order of {} nodes for a graph of {}", order.size(), nodes.size())};
  std::vector<bool> done(nodes.size(), false);
  for (NodeId id : order) {
    if (!id.valid() || id.index() >= nodes.size()) return Error{fmt::format("an order names node {}", id.value)};
    if (done[id.index()]) return Error{fmt::format("an order runs node {} twice", id.value)};
    const auto missing = [&](const TensorImpl& source) {
      const NodeId from = graph.find_node(source);
      return from.valid() && !done[from.index()] ? from : NodeId::none();
    };
    const TensorImpl& node = *nodes[id.index()];
    for (const TensorImpl* source : node.sources)
      if (const NodeId from = missing(*source); from.valid())
        return Error{fmt::format("an order runs node {} before its input {}", id.value, from.value)};
    if (node.is_view())
      if (const NodeId from = missing(*node.view_source); from.valid())
        return Error{fmt::format("an order runs node {} before node {}, whose bytes it shares", id.value, from.value)};
    done[id.index()] = true;
  }
  return {};
}

Result<std::vector<NodeId>> depth_first_order(const Graph& graph, const OrderOptions&) {
  std::vector<NodeId> order(graph.nodes().size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = NodeId(i);
  return order;
}

Result<std::vector<NodeId>> breadth_first_order(const Graph& graph, const OrderOptions&) {
  const auto nodes = graph.nodes();
  std::vector<int32_t> missing(nodes.size(), 0);
  std::vector<std::vector<NodeId>> users(nodes.size());
  std::vector<NodeId> order;  // also the queue: nodes from `head` on are ready and not yet expanded
  order.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const TensorImpl* source : nodes[i]->sources) {
      const NodeId from = graph.find_node(*source);
      if (!from.valid()) continue;
      users[from.index()].push_back(NodeId(i));
      ++missing[i];
    }
    if (missing[i] == 0) order.push_back(NodeId(i));
  }
  for (size_t head = 0; head < order.size(); ++head)
    for (NodeId user : users[order[head].index()])
      if (--missing[user.index()] == 0) order.push_back(user);
  return order;
}

}  // namespace arenascope
