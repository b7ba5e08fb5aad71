// SPDX-License-Identifier: GPL-3.0-or-later
// Overhead of recording for a run of a real network.
#pragma once
#include <string>
#include <vector>

#include <arenascope/base/result.h>
#include "engine/bench/bench_row.h"

namespace arenascope::app {

// Runs the model with and without a recording to a file, interleaved, on the same number of threads. Returns two
// rows: the minimum CPU time of each, including writing the file; and the barrier wait, as the median ratio of
// `pairs` pairs with its 95 % interval. Errors: the model cannot be run, no temporary file, different barriers in the
// two runs.
Result<std::vector<BenchRow>> bench_record(const std::string& model, int threads, int pairs = 200);

}  // namespace arenascope::app
