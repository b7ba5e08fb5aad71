// SPDX-License-Identifier: MIT
// Reductions of the arena without run-time cost: in-place ops, another order, fused chains of ops, another planner. All
// combinations are tried, the smallest first.
#pragma once
#include <optional>

#include <arenascope/schedule/what_if.h>

namespace arenascope {

// A graph with an order, and the steps that led to it.
struct Arrangement {
  Graph graph;                   // the given one, or that with fused chains
  std::vector<Tensor> node_map;  // by NodeId of the given graph; undefined inside of a fused node
  std::vector<NodeId> given_of;  // by NodeId of this graph: the given node; for a fused node its last op
  std::vector<NodeId> order;
  std::string order_name;
  bool in_place = false;
  std::vector<MemorySaving> steps;  // steps taken; empty: unchanged
  MemoryPlan plan;
};

// The arrangement with the fewest steps whose plan fits options.capacity, else the one with the lowest peak of live
// bytes. `given` is the plan of the given graph and order. Errors: an error of the planner, out of memory.
Result<Arrangement> arrange(const Graph& graph, const MemoryPlan& given, const WhatIfOptions& options);

// A plan of the graph by options.planner. If it exceeds the capacity although the lower bound does not, `search` is
// used instead, which is recorded as another step.
Result<MemoryPlan> plan_within(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                               bool in_place, const WhatIfOptions& options, std::vector<MemorySaving>& steps);

}  // namespace arenascope
