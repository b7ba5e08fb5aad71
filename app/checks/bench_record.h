// SPDX-License-Identifier: GPL-3.0-or-later
// What recording costs a run of a real network.
#pragma once
#include <string>
#include <vector>

#include <arenascope/base/result.h>
#include "engine/bench/bench_row.h"

namespace arenascope::app {

// Runs the model with and without a recording to a file, in turn, on the same number of threads. Two rows: the least
// processor time of each, where what is recorded counts to the end, written to the file; and the waits at barriers, as
// the median ratio of `pairs` pairs with its 95 % interval. Errors: the model cannot be run, no temporary file, the two
// do not have the same barriers.
Result<std::vector<BenchRow>> bench_record(const std::string& model, int threads, int pairs = 200);

}  // namespace arenascope::app
