// SPDX-License-Identifier: MIT
// Memory planning of a graph: derives intervals from graph and execution order, and assigns each activation an offset
// in one arena and a lifetime in steps.
#pragma once
#include <string>
#include <vector>

#include <arenascope/graph/graph.h>
#include <arenascope/graph/lifetime.h>
#include <arenascope/graph/order.h>
#include <arenascope/planner/planner.h>

namespace arenascope {

// A placed tensor: the bytes [offset, offset + size) of the arena during the steps [first, last).
struct PlannedTensor {
  NodeId node;
  Bytes offset = 0;
  Bytes size = 0;
  Step first;
  Step last;           // half-open
  BlockId block;       // tensors of one block use it one after the other
  int level = 0;       // of reuse: 0 first user of its block, 1 or 2
  NodeId in_place_of;  // the node whose memory it reuses in place, or none
  NodeId part_of;      // the concatenation that it is aliased into, or none
};

struct MemoryPlan {
  std::string planner;
  std::string order_name;
  std::vector<NodeId> order;
  std::vector<PlannedTensor> tensors;  // by first step
  std::vector<Lifetime> elsewhere;     // offloaded results and images, by first step
  std::vector<NodeId> joined;          // concatenations whose inputs are aliased into the result: no copy
  Bytes arena_bytes = 0;
  Bytes lower_bound = 0;
  Bytes alignment = 64;
  bool optimal = false;
  double seconds = 0;         // planning time without the execution order
  double budget_seconds = 0;  // search budget of the planner; 0: it does not search

  double ratio() const { return lower_bound > 0 ? double(arena_bytes) / double(lower_bound) : 1.0; }
};

struct MemoryPlanOptions {
  Bytes alignment = 64;
  bool keep_outputs = true;  // outputs stay live to the last step
  bool in_place = false;     // pointwise ops may compute in place at the last use of an input (graph/lifetime.h)
  bool join = true;          // alias inputs of concatenations into the result if that needs no larger arena
  std::optional<Bytes> capacity;
  planner::Options planner;
};

// The intervals of everything that the order computes into the arena: one for each node that owns bytes there
// (graph/lifetime.h). Views share the interval of their source; inputs and weights are stored outside the arena.
// `owners[i]` is the node of interval i.
struct GraphIntervals {
  planner::Problem problem;
  std::vector<NodeId> owners;
  std::vector<Lifetime> elsewhere;  // results on the host and packed results, by first step
  std::vector<NodeId> joined;       // the concatenations of the problem's attachments
};
GraphIntervals graph_intervals(const Graph& graph, std::span<const NodeId> order, const MemoryPlanOptions& options);

// The intervals and their verified plan. With options.join, the smaller of the plans with and without aliased
// concatenations; both share the planner's budget. Errors: an error of the planner, a plan that fails verification.
struct PlannedIntervals {
  GraphIntervals intervals;
  planner::Plan plan;
};
Result<PlannedIntervals> plan_intervals(const Graph& graph, std::span<const NodeId> order,
                                        const planner::Planner& planner, const MemoryPlanOptions& options);

// Errors: an invalid order, an error of the planner, a plan that fails verification.
Result<MemoryPlan> plan_memory(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                               const planner::Planner& planner, const MemoryPlanOptions& options = {});

// The same by names ("search", "depth-first", …). Errors also: an unknown name; the message lists the valid ones.
Result<MemoryPlan> plan_memory(const Graph& graph, std::string_view planner, std::string_view order,
                               const MemoryPlanOptions& options = {}, const OrderOptions& order_options = {});

}  // namespace arenascope
