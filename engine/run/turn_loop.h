// SPDX-License-Identifier: MIT
// Loops of which only a run tells how often they go round: the body runs again and again as a graph of its own, and is opened
// anew only where the sizes of its states change, or what hangs on their values.
#pragma once
#include <arenascope/run/runner.h>

namespace arenascope {

// A result's bytes, on the host, among values by that name.
Status take_value(const RunResult& result, const std::string& name, models::GivenInputs& values);
// A part's time and barriers, into those of all.
void add_part(const RunReport& part, RunReport& all);

// Behind `before`, whose Rest has turns: `values` are what it made, and have the loop's results then. `own` are the options of
// the parts; its rings and graph become those of the body. Errors: those of opening and running the body, no memory for what its turns leave.
Status go_round(Runner& before, LoopRun& loop, models::GivenInputs& values, RunnerOptions& own,
                const RunOptions& options, RunReport& report);

}  // namespace arenascope
