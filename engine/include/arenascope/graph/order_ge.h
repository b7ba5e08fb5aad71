// SPDX-License-Identifier: MIT
// GE's topological optimisation: starts from a base order and moves nodes down to just before their first reader.
// Source: the CANN GE article on memory reuse, "Topo optimisation".
#pragma once
#include <string_view>

#include <arenascope/graph/order.h>

namespace arenascope {

enum class GeRule : uint8_t {
  Type,      // all inputs are leaf tensors (constants, variables, inputs), which stay live in any case
  Lifetime,  // L1 > L2: the last use of its longest-lived input (L1) is after the first reader of its result (L2)
};
const char* name(GeRule rule);  // "type", "lifetime"

// One move: `node` is moved from its step to just before `reader`.
struct GeMove {
  NodeId node, reader;
  GeRule rule = GeRule::Type;
  Step from, to;    // steps before and after the move, counting ops only; none unless GeOptions::peaks
  Bytes bytes = 0;  // of its result, which is no longer live between the two steps
  Bytes peak_before = 0, peak_after = 0;  // peak of live bytes; 0 unless GeOptions::peaks
};

// The orders that it can start from.
inline constexpr std::string_view kGeBaseOrders[] = {"depth-first", "breadth-first", "reverse-depth-first"};

struct GeOptions {
  std::string_view base = "depth-first";  // the order to start from
  bool by_type = true, by_lifetime = true;
  bool peaks = false;  // computes the peak after every move, at the cost of one full evaluation per move
};

struct GeOrder {
  std::vector<NodeId> base, order;  // `order` equals `base` if the moves do not lower the peak
  Bytes base_peak = 0, peak = 0;
  std::vector<GeMove> moves;  // also recorded if `taken` is false
  bool taken = false;         // the moves together lower the peak
};

// Visits the nodes of the base order from last to first; each may move once. A move that would raise the peak is
// skipped; this happens only if the node is the last reader of another input, whose lifetime the move would extend.
// Errors: an unknown base order, an error of make_order_problem().
Result<GeOrder> optimise_like_ge(const Graph& graph, const GeOptions& ge, const OrderOptions& options = {});

}  // namespace arenascope
