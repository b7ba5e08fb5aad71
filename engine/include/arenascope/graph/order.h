// SPDX-License-Identifier: MIT
// Execution orders. An order is a permutation of a graph's nodes in which every node follows its sources (a topological
// order). To add one: a function in its own file and a line in all_orders().
#pragma once
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

struct OrderOptions {
  double budget_seconds = 1.0;  // for orders that search
  bool by_clock = true;         // false: the budget counts work only, so that the order is reproducible under load
  std::stop_token stop;         // ends a search with the best order so far
  bool keep_outputs = true;     // outputs are live to the last step; false: to their last use, like other results
};

struct OrderInfo {
  const char* name;
  const char* description;
  Result<std::vector<NodeId>> (*make)(const Graph& graph, const OrderOptions& options);
};

std::span<const OrderInfo> all_orders();
const OrderInfo* find_order(std::string_view name);

// Checks the invariant of an order: each node once, sources (and view sources) before users.
Status check_order(const Graph& graph, std::span<const NodeId> order);

Result<std::vector<NodeId>> depth_first_order(const Graph& graph, const OrderOptions& options);    // as built
Result<std::vector<NodeId>> breadth_first_order(const Graph& graph, const OrderOptions& options);  // by ready time
Result<std::vector<NodeId>> reverse_depth_first_order(const Graph& graph, const OrderOptions& options);
Result<std::vector<NodeId>> ge_order(const Graph& graph, const OrderOptions& options);
Result<std::vector<NodeId>> least_peak_first_order(const Graph& graph, const OrderOptions& options);
Result<std::vector<NodeId>> least_peak_late_order(const Graph& graph, const OrderOptions& options);
Result<std::vector<NodeId>> searched_order(const Graph& graph, const OrderOptions& options);  // see order_search.h

}  // namespace arenascope
