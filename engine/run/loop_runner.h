// SPDX-License-Identifier: MIT
// Loops whose trip count is known only at run time. The body is a separate graph that is executed once per iteration. It is
// compiled again only if the sizes of its states change, or values that its shapes depend on.
#pragma once
#include "engine/run/segment_options.h"

namespace arenascope {

// Reads a result to the host and adds it to `values` under that name.
Status add_result(const RunResult& result, const std::string& name, models::GivenInputs& values);
// Adds time and barriers of `part` to `all`.
void accumulate_report(const RunReport& part, RunReport& all);

// Runs the loop of the deferred subgraph of `before`. `values`: the values computed by `before`; the results of the loop are
// added. `own`: options of the deferred subgraphs; its rings and previous_graph become those of the body. Errors: compiling or
// running the body fails, out of memory for scan outputs.
Status run_loop(Runner& before, LoopState& loop, models::GivenInputs& values, SegmentOptions& own,
                const RunOptions& options, RunReport& report);

}  // namespace arenascope
