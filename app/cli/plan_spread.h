// SPDX-License-Identifier: GPL-3.0-or-later
// plan --streams and --banks: plans a model's memory for several queues or several memory tiers.
#pragma once
#include <arenascope/models/model.h>
#include <arenascope/schedule/spread_plan.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

struct SpreadArguments {
  std::string planner, order;
  const std::vector<NodeId>& sequence;  // nodes of the model's graph in that order
  MemoryPlanOptions plan_options;
  int32_t streams = 1;  // number of streams; 1: use `banks`
  std::string banks;    // memory tiers if there is one stream
};

// Prints the plan. Returns the exit status.
int plan_spread(const Context& context, const models::Model& model, const SpreadArguments& arguments);

}  // namespace arenascope::cli
