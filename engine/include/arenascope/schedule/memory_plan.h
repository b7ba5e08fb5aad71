// SPDX-License-Identifier: MIT
// From a graph and an order to intervals, and from a planner's answer back to tensors: where each activation
// lies in one arena, and from which step to which.
#pragma once
#include <string>
#include <vector>

#include <arenascope/graph/graph.h>
#include <arenascope/graph/lifetime.h>
#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>

namespace arenascope {

// One tensor's place: the bytes [offset, offset + size) of the arena during the steps [first, last).
struct PlannedTensor {
  NodeId node;
  Bytes offset = 0;
  Bytes size = 0;
  Step first;
  Step last;           // half-open
  BlockId block;       // tensors of one block use it one after the other
  int level = 0;       // of reuse: 0 first user of its block, 1 or 2
  NodeId in_place_of;  // the node whose bytes it takes over, or none
  NodeId part_of;      // the concatenation whose bytes these are a stretch of, or none
};

struct MemoryPlan {
  std::string planner;
  std::string order_name;
  std::vector<NodeId> order;
  std::vector<PlannedTensor> tensors;  // by first step
  std::vector<Lifetime> elsewhere;     // results that lie on the host or packed, by first step
  std::vector<NodeId> joined;          // concatenations whose sources lie in their bytes already: nothing to copy
  Bytes arena_bytes = 0;
  Bytes lower_bound = 0;
  Bytes alignment = 64;
  bool optimal = false;
  double seconds = 0;         // of planning, the order not included
  double budget_seconds = 0;  // that the planner might have searched; 0: it does not search

  double ratio() const { return lower_bound > 0 ? double(arena_bytes) / double(lower_bound) : 1.0; }
};

struct MemoryPlanOptions {
  Bytes alignment = 64;
  bool keep_outputs = true;  // outputs keep their bytes to the last step
  bool in_place = false;     // a pointwise op may take over a source's bytes at their last use (graph/lifetime.h)
  bool join = true;          // lay the sources of a concatenation into its bytes, where that needs no larger arena
  std::optional<Bytes> capacity;
  planner::Options planner;
};

// The intervals of everything that the order computes into the arena: one for each node that owns bytes there
// (graph/lifetime.h). Views share their source's, inputs and weights have theirs elsewhere. `owners[i]` is the node of
// interval i.
struct GraphIntervals {
  planner::Problem problem;
  std::vector<NodeId> owners;
  std::vector<Lifetime> elsewhere;  // of results on the host or packed, by first step
  std::vector<NodeId> joined;       // concatenations that the problem's attachments are for
};
GraphIntervals graph_intervals(const Graph& graph, std::span<const NodeId> order, const MemoryPlanOptions& options);

// The intervals and their plan, which the checker has seen. With options.join, the smaller one of joined and apart;
// both share the planner's budget. Errors: a planner's, a plan that the checker refuses.
struct PlannedIntervals {
  GraphIntervals intervals;
  planner::Plan plan;
};
Result<PlannedIntervals> plan_intervals(const Graph& graph, std::span<const NodeId> order,
                                        const planner::Planner& planner, const MemoryPlanOptions& options);

// Errors: an order that is none, a planner's error, a plan that the checker refuses.
Result<MemoryPlan> plan_memory(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                               const planner::Planner& planner, const MemoryPlanOptions& options = {});

// The same by names ("search", "depth-first", …). Errors also: a name that does not exist, with those that do.
Result<MemoryPlan> plan_memory(const Graph& graph, std::string_view planner, std::string_view order,
                               const MemoryPlanOptions& options = {}, const OrderOptions& order_options = {});

}  // namespace arenascope
