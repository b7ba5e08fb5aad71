// SPDX-License-Identifier: GPL-3.0-or-later
// plan --streams and --banks: a model's memory over several queues, or over several memories.
#pragma once
#include <arenascope/models/model.h>
#include <arenascope/schedule/spread_plan.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

struct SpreadArguments {
  std::string planner, order;
  const std::vector<NodeId>& sequence;  // that order of the model's graph
  MemoryPlanOptions plan_options;
  int32_t streams = 1;  // above 1: over so many
  std::string banks;    // else over these
};

// Prints what lies where. Returns the exit status.
int plan_spread(const Context& context, const models::Model& model, const SpreadArguments& arguments);

}  // namespace arenascope::cli
