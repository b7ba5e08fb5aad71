// SPDX-License-Identifier: MIT
// The order that searches: never worse than the best of the others, with a proof where it finds one.
#pragma once
#include <vector>

#include <arenascope/graph/order.h>

namespace arenascope {

struct OrderSearchResult {
  std::vector<NodeId> order;
  Bytes peak = 0;         // order_peak() of it
  Bytes lower_bound = 0;  // no order has less
  bool optimal = false;   // peak == lower_bound
};

// Begins with the other orders, cuts the graph where an op must run behind all before it and before all behind it, and
// takes the best of them for each part. Then, on the part with the highest peak: an exact search; where that is too
// large, beams of growing width, and exact searches over the steps around the peak. Ends at a proof, when nothing helps
// any more, when options.budget_seconds are used up or options.stop is asked for. The same graph gives the same
// order: the budget is counted in work first and by the clock only if the machine is slow.
// Error: the results have more than 2^63-1 bytes together.
Result<OrderSearchResult> search_order(const Graph& graph, const OrderOptions& options);

}  // namespace arenascope
