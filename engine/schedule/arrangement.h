// SPDX-License-Identifier: MIT
// What lowers an arena and costs nothing when the graph runs: ops in place, another order, chains of ops as one node,
// another planner. All ways to combine them are tried, the fewest first.
#pragma once
#include <optional>

#include <arenascope/schedule/what_if.h>

namespace arenascope {

// A graph in an order, and how it got there.
struct Arrangement {
  Graph graph;                   // the given one, or that with fused chains
  std::vector<Tensor> twins;     // by NodeId of the given graph; undefined inside of a fused node
  std::vector<NodeId> given_of;  // by NodeId of this graph: the given one's; of a fused node its last part
  std::vector<NodeId> order;
  std::string order_name;
  bool in_place = false;
  std::vector<MemorySaving> steps;  // that led here; empty: it is as given
  MemoryPlan plan;
};

// The arrangement with the fewest steps whose plan fits options.capacity, else the one with the least live at once.
// `given` is the plan of the graph in the order. Errors: a planner's, no memory.
Result<Arrangement> arrange(const Graph& graph, const MemoryPlan& given, const WhatIfOptions& options);

// A plan of the graph by options.planner, and where that misses a capacity that it need not miss, by `search`: which is
// then one more step.
Result<MemoryPlan> plan_within(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                               bool in_place, const WhatIfOptions& options, std::vector<MemorySaving>& steps);

}  // namespace arenascope
