// SPDX-License-Identifier: GPL-3.0-or-later
// plan --moves: GE's topological optimisation move by move, and what a peak is made of before and behind it.
#pragma once
#include <arenascope/models/model.h>
#include <arenascope/transform/weight_paths.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

// --weight-paths: cast, cast-shared, trans-data, trans-data-shared. Error: none of them.
Result<WeightPathOptions> parse_weight_paths(const std::string& text);

struct MovesArguments {
  std::string base;     // the order that the rules begin with
  double budget = 1.0;  // of the search that they are compared with
  bool keep_outputs = true;
  WeightPaths paths;  // those that were put into the model's graph
};

// Prints base, moves, peaks and what is live there by class. Returns the exit status.
int plan_moves(const Context& context, const models::Model& model, const MovesArguments& arguments);

}  // namespace arenascope::cli
