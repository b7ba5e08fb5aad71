// SPDX-License-Identifier: MIT
// The cost of recording for a worker thread, and the speed of sessions: adding events, opening and queries.
#pragma once
#include "engine/bench/bench_row.h"

#include <filesystem>
#include <vector>

namespace arenascope::trace {

struct TraceBenchOptions {
  size_t events = 1'000'000;     // in the recording that is opened
  std::filesystem::path folder;  // for that recording; empty: the temporary folder
};

// Takes a few seconds. Rows that need the file are missing if it cannot be written.
std::vector<BenchRow> bench_trace(const TraceBenchOptions& options = {});

}  // namespace arenascope::trace
