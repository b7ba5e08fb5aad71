// SPDX-License-Identifier: MIT
// What of a graph's memory can be spared by computing tensors again, and what that costs: bytes against operations, each
// point a plan that can be run.
#pragma once
#include <string_view>
#include <vector>

#include <arenascope/schedule/memory_plan.h>

namespace arenascope {

struct FrontierPoint {
  // Of a real plan. RunnerOptions::capacity of as many bytes gives one at least as small, which may compute less: it lets
  // ops work in place and in another order first.
  Bytes arena = 0;
  int64_t extra_flops = 0;  // that are computed again
  int64_t flops = 0;        // of the graph without them
};

// From the plan that keeps everything down to the least that was found; fewer bytes cost more. Errors: a planner or
// an order that does not exist, what plan_memory() refuses. Stopped (options.planner.stop), it gives the points so far.
Result<std::vector<FrontierPoint>> memory_frontier(const Graph& graph, std::string_view planner, std::string_view order,
                                                   const MemoryPlanOptions& options = {});

}  // namespace arenascope
