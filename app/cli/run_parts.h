// SPDX-License-Identifier: GPL-3.0-or-later
// What of a run came behind its graph: the parts of a file that were opened when values were known, and the loops and
// branches between them.
#pragma once
#include <string>

#include <arenascope/run/runner.h>
#include "app/cli/cli.h"

namespace arenascope::cli {

// A line for each; those in a loop's body are of its last turn.
void print_parts(Runner& runner);
// Each part behind the one before it; in it the loop that went round between both.
Json rest_json(Runner& runner);
// Where a run has ended that was told to: "turn 7 of Loop 'decode'". "": not in a loop.
std::string place_in_loops(Runner& runner);

}  // namespace arenascope::cli
