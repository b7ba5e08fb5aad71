// SPDX-License-Identifier: MIT
// What recording costs a worker, and how fast a session takes in, opens and answers.
#pragma once
#include "engine/bench/bench_row.h"

#include <filesystem>
#include <vector>

namespace arenascope::trace {

struct TraceBenchOptions {
  size_t events = 1'000'000;     // of the recording that is opened
  std::filesystem::path folder;  // for that recording; empty: the temporary folder
};

// Takes a few seconds. Rows that concern the file are missing if it could not be written.
std::vector<BenchRow> bench_trace(const TraceBenchOptions& options = {});

}  // namespace arenascope::trace
