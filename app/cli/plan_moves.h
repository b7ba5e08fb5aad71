// SPDX-License-Identifier: GPL-3.0-or-later
// plan --moves: GE's topological optimisation move by move, with the composition of the peak before and after.
#pragma once
#include <arenascope/graph/order.h>
#include <arenascope/models/model.h>
#include <arenascope/transform/weight_paths.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

// Parses --weight-paths: cast, cast-shared, trans-data or trans-data-shared. Error: any other text.
Result<WeightPathOptions> parse_weight_paths(const std::string& text);

struct MovesArguments {
  std::string base;       // name of the initial order
  OrderOptions ordering;  // its budget is for the search used as a baseline
  WeightPaths paths;      // inserted into the model's graph
};

// Prints the base order, moves, peaks and live bytes by class. Returns the exit status.
int plan_moves(const Context& context, const models::Model& model, const MovesArguments& arguments);

}  // namespace arenascope::cli
