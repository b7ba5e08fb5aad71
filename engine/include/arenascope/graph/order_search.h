// SPDX-License-Identifier: MIT
// Search for an order with the lowest peak: never worse than the best of the other orders, with a proof of optimality
// if one is found.
#pragma once
#include <vector>

#include <arenascope/graph/order.h>

namespace arenascope {

struct OrderSearchResult {
  std::vector<NodeId> order;
  Bytes peak = 0;         // order_peak() of `order`
  Bytes lower_bound = 0;  // no order has a lower peak
  bool optimal = false;   // peak == lower_bound
};

// Starts from the other orders, splits the graph at nodes that are ordered with respect to all other nodes, and takes
// the best order for each part. The part with the highest peak is then improved by an exact search or, if it is too
// large, by beam searches of growing width and exact searches over windows of steps around the peak. Ends at a proof,
// when no method improves the order, when options.budget_seconds are used up, or at a stop request. The same graph
// gives the same order: the budget limits work, and time only if the machine is slow.
// Error: the results have more than 2^63-1 bytes in total.
Result<OrderSearchResult> search_order(const Graph& graph, const OrderOptions& options);

}  // namespace arenascope
