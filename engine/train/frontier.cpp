// SPDX-License-Identifier: MIT
#include <arenascope/train/frontier.h>

#include <algorithm>

#include <arenascope/graph/order.h>
#include <arenascope/schedule/what_if.h>

namespace arenascope::train {
namespace {

// Between the whole and the half, and on: the arenas that are tried for.
constexpr double kShares[] = {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2};

}  // namespace

Result<std::vector<FrontierPoint>> checkpoint_frontier(const std::string& spec, const TrainerOptions& options,
                                                       std::stop_token stop) {
  auto model = make_step_model(spec, options);
  if (!model) return model.error();
  MemoryPlanOptions plan_options;
  plan_options.planner.budget_seconds = options.run.budget_seconds;
  plan_options.planner.stop = stop;
  auto whole = plan_memory(model->graph, options.run.planner, options.run.order, plan_options);
  if (!whole) return whole.error();
  int64_t flops = 0;
  for (const TensorImpl* node : model->graph.nodes()) flops += arenascope::flops(*node);
  std::vector<FrontierPoint> out{{whole->arena_bytes, 0, flops}};
  for (const double share : kShares) {
    if (stop.stop_requested()) break;
    WhatIfOptions wish;
    wish.capacity = static_cast<Bytes>(share * static_cast<double>(whole->arena_bytes));
    wish.offload = false;
    wish.planner = options.run.planner;
    wish.plan = plan_options;
    auto spared = what_if(model->graph, whole->order, options.run.order, wish);
    if (!spared) return spared.error();
    if (spared->fits && spared->plan.arena_bytes < out.back().arena)
      out.push_back({spared->plan.arena_bytes, spared->extra_flops, flops});
    if (!spared->fits) break;
  }
  return out;
}

}  // namespace arenascope::train
