// SPDX-License-Identifier: MIT
// The peak of live bytes of an order: the metric by which orders are compared.
#pragma once
#include <span>

#include <arenascope/graph/graph.h>

namespace arenascope {

// The maximum over all steps of the live bytes of node results in the arena (lifetime.h). A result is live from the
// step that computes it to the last step that reads it or a view of it. A result with kFlagOutput, or with a view that
// has it, is live to the end unless `keep_outputs` is false. Leafs, parameters, results on the host and packed results
// are not counted. `order` must pass check_order(). Saturates at 2^63-1 bytes.
Bytes order_peak(const Graph& graph, std::span<const NodeId> order, bool keep_outputs = true);

}  // namespace arenascope
