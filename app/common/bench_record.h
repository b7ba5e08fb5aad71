// SPDX-License-Identifier: GPL-3.0-or-later
// What recording costs a run of a real network.
#pragma once
#include <string>
#include <vector>

#include <arenascope/base/bench_row.h>
#include <arenascope/base/result.h>

namespace arenascope::app {

// Runs the model with and without a recording to a file, in turn, `pairs` times each, and takes the least processor
// time of each; what is recorded counts to the end, written to the file. Errors: the model cannot be run, no temporary
// file.
Result<std::vector<BenchRow>> bench_record(const std::string& model, int threads, int pairs = 40);

}  // namespace arenascope::app
