// SPDX-License-Identifier: GPL-3.0-or-later
// plan --what-if: makes a model fit by in-place ops, another order and fusion, then by rematerialising tensors or
// offloading them to the host.
#pragma once
#include <arenascope/models/model.h>
#include <arenascope/schedule/what_if.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

struct WhatIfArguments {
  std::string planner, order;
  const std::vector<NodeId>& sequence;  // nodes of the model's graph in that order
  MemoryPlanOptions plan_options;
  planner::Options planner_options;
  Bytes capacity;
  std::string export_file;
  bool fused = false;  // the model's graph is already fused
};

// Prints the steps and the resulting plan. Returns the exit status: kFailed if it still does not fit.
int plan_what_if(const Context& context, const models::Model& model, const WhatIfArguments& arguments);

// Names each interval after its node; ambiguous names get the node's index.
void name_intervals(GraphIntervals& intervals, const Graph& graph);

// Writes a plan to a .csv file, or as JSON to any other. Error: the file cannot be written.
Status export_plan(const std::string& path, const planner::Problem& problem, const planner::Plan& plan);

}  // namespace arenascope::cli
