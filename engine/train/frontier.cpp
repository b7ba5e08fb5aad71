// SPDX-License-Identifier: MIT
#include <arenascope/train/frontier.h>

namespace arenascope::train {

Result<std::vector<FrontierPoint>> checkpoint_frontier(const std::string& spec, const TrainerOptions& options,
                                                       std::stop_token stop) {
  auto model = make_step_model(spec, options);
  if (!model) return model.error();
  MemoryPlanOptions plan;
  plan.planner.budget_seconds = options.run.budget_seconds;
  plan.planner.stop = std::move(stop);
  return memory_frontier(model->graph, options.run.planner, options.run.order, plan);
}

}  // namespace arenascope::train
