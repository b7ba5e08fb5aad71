// SPDX-License-Identifier: MIT
#include <arenascope/schedule/frontier.h>

#include <arenascope/schedule/what_if.h>

namespace arenascope {
namespace {

// Capacities to try, as fractions of the full arena.
constexpr double kShares[] = {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2};
constexpr double kWorthIt = 0.99;

}  // namespace

Result<std::vector<FrontierPoint>> memory_frontier(const Graph& graph, std::string_view planner, std::string_view order,
                                                   const MemoryPlanOptions& options) {
  auto whole = plan_memory(graph, planner, order, options);
  if (!whole) return whole.error();
  int64_t flops = 0;
  for (const TensorImpl* node : graph.nodes()) flops += arenascope::flops(*node);
  std::vector<FrontierPoint> out{{whole->arena_bytes, 0, flops}};
  for (const double share : kShares) {
    if (options.planner.stop.stop_requested()) break;
    WhatIfOptions what_if_options;
    what_if_options.capacity = static_cast<Bytes>(share * static_cast<double>(whole->arena_bytes));
    what_if_options.offload = what_if_options.in_place = what_if_options.reorder = false;  // rematerialisation only
    what_if_options.planner = planner;
    what_if_options.plan = options;
    auto spared = what_if(graph, whole->order, order, what_if_options);
    if (!spared) return spared.error();
    // A plan that misses the capacity is still reported if it is the smallest found and saves a significant amount.
    const auto before = static_cast<double>(out.back().arena);
    if (static_cast<double>(spared->plan.arena_bytes) < (spared->fits ? before : kWorthIt * before))
      out.push_back({spared->plan.arena_bytes, spared->extra_flops, flops});
    if (!spared->fits) break;
  }
  return out;
}

}  // namespace arenascope
