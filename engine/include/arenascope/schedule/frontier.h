// SPDX-License-Identifier: MIT
// The trade-off between memory and rematerialisation of a graph: arena bytes against recomputed operations. Each point
// is a plan that can be run.
#pragma once
#include <string_view>
#include <vector>

#include <arenascope/schedule/memory_plan.h>

namespace arenascope {

struct FrontierPoint {
  // The arena of an actual plan. A run with this value as RunnerOptions::capacity gets an arena of at most this size.
  // It may recompute less, because in-place ops and other orders are tried first.
  Bytes arena = 0;
  int64_t extra_flops = 0;  // recomputed operations
  int64_t flops = 0;        // of the graph without them
};

// Points from the plan without recomputation down to the smallest arena found, with increasing cost. A stop request
// (options.planner.stop) returns the points so far. Errors: an unknown planner or order, an error of plan_memory().
Result<std::vector<FrontierPoint>> memory_frontier(const Graph& graph, std::string_view planner, std::string_view order,
                                                   const MemoryPlanOptions& options = {});

}  // namespace arenascope
