// SPDX-License-Identifier: MIT
// GE's topological optimisation, move by move: a usual order, then nodes that move down to their first reader. Source: the
// CANN GE article on memory reuse, "Topo optimisation".
#pragma once
#include <string_view>

#include <arenascope/graph/order.h>

namespace arenascope {

enum class GeRule : uint8_t {
  Type,      // all that the node reads is given (constants, variables, inputs): those bytes live on anyway
  Lifetime,  // L1 > L2: the longest-lived of its inputs dies (L1) behind the first reader of its own result (L2)
};
const char* name(GeRule rule);  // "type", "lifetime"

// One move: `node` goes from its step to just before `reader`.
struct GeMove {
  NodeId node, reader;
  GeRule rule = GeRule::Type;
  Step from, to;    // among the ops, in the order before the move and behind it; none where peaks were not asked for
  Bytes bytes = 0;  // of its result, which is not live any more between the two
  Bytes peak_before = 0, peak_after = 0;  // the most live at once; 0 where it was not asked for
};

struct GeOptions {
  std::string_view base = "depth-first";  // the usual order
  bool by_type = true, by_lifetime = true;
  bool peaks = false;  // of every move: as much work again for each
};

struct GeOrder {
  std::vector<NodeId> base, order;  // `order` is `base` where the moves do not lower the peak
  Bytes base_peak = 0, peak = 0;
  std::vector<GeMove> moves;  // also those that were not taken in the end
  bool taken = false;         // the moves together lower the peak
};

// From the last node of the base to the first, each may move once. A move that raises the peak is not made: it can only
// do so where the node is the last to read another input, which would then live longer. Errors: a base that does not exist, or what make_order_problem() refuses.
Result<GeOrder> optimise_like_ge(const Graph& graph, const GeOptions& ge, const OrderOptions& options = {});

}  // namespace arenascope
