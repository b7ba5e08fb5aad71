// SPDX-License-Identifier: GPL-3.0-or-later
// Report of the deferred subgraphs of a run, which are compiled once the values that they depend on are known, and of
// the loops and branches between them.
#pragma once
#include <string>

#include <arenascope/run/runner.h>
#include "app/cli/cli.h"

namespace arenascope::cli {

// Prints one line each; those in a loop body belong to its last iteration.
void print_deferred(Runner& runner);
// One entry per deferred subgraph in execution order; each contains the loop that was executed before it.
Json deferred_json(Runner& runner);
// Position of an interrupted run: "iteration 7 of Loop 'decode'"; empty outside of loops.
std::string loop_position(Runner& runner);

}  // namespace arenascope::cli
