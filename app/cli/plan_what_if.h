// SPDX-License-Identifier: GPL-3.0-or-later
// plan --what-if: ops in place, another order, fused chains, then what to rematerialise and what to offload to the host, so
// that a model fits.
#pragma once
#include <arenascope/models/model.h>
#include <arenascope/schedule/what_if.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

struct WhatIfArguments {
  std::string planner, order;
  const std::vector<NodeId>& sequence;  // that order of the model's graph
  MemoryPlanOptions plan_options;
  planner::Options planner_options;
  Bytes capacity;
  std::string export_file;
  bool fused = false;  // the model's graph has its chains fused already
};

// Prints the steps and the plan that they lead to. Returns the exit status: kFailed where it still does not fit.
int plan_what_if(const Context& context, const models::Model& model, const WhatIfArguments& arguments);

// Each interval by its node's name, with the node's number where the name is not its alone.
void name_intervals(GraphIntervals& intervals, const Graph& graph);

// Writes a plan to a .csv file, or as JSON to any other. Error: the file cannot be written.
Status export_plan(const std::string& path, const planner::Problem& problem, const planner::Plan& plan);

}  // namespace arenascope::cli
