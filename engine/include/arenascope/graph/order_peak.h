// SPDX-License-Identifier: MIT
// How much memory an order needs at the least: the figure that orders are compared by.
#pragma once
#include <span>

#include <arenascope/graph/graph.h>

namespace arenascope {

// The most bytes of node results that are live in the arena in one step (lifetime.h). A result is live from the step
// that computes it to the last step that reads it or a view of it; one that is flagged kFlagOutput, or a view of it is,
// to the end. What lies elsewhere is not counted: leafs and parameters, results on the host, packed ones. `order` must
// pass check_order().
// Without `keep_outputs` outputs end as other results do. Sums beyond 2^63-1 bytes give 2^63-1.
Bytes order_peak(const Graph& graph, std::span<const NodeId> order, bool keep_outputs = true);

}  // namespace arenascope
