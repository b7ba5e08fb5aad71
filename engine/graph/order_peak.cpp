// SPDX-License-Identifier: MIT
#include <arenascope/graph/order_peak.h>

#include <arenascope/graph/lifetime.h>

namespace arenascope {

Bytes order_peak(const Graph& graph, std::span<const NodeId> order, bool keep_outputs) {
  return peak_live_bytes(find_lifetimes(graph, order, {.keep_outputs = keep_outputs}), order.size());
}

}  // namespace arenascope
