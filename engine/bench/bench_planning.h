// SPDX-License-Identifier: MIT
// Metrics of the planners, compared with the best known results.
#pragma once
#include <arenascope/planner/generate.h>
#include "engine/bench/bench_row.h"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

namespace arenascope::planner {

struct BenchOptions {
  bool quick = false;  // a tenth of the budgets and one instance of each kind, as a smoke test
  int threads = 2;
  bool processor_time = false;  // budgets and durations are CPU time of all threads of this process
  std::stop_token stop;         // stops early and returns the rows so far
  std::function<void(const std::string&)> on_progress;  // receives the name of the current measurement
};

// Rows for minimalloc's instances and the training traces under `data`/planning, if present, and for generated perfect
// packings and a million buffers. Ratios are arena ÷ lower bound.
std::vector<BenchRow> bench_planning(const std::filesystem::path& data, const BenchOptions& options);

}  // namespace arenascope::planner
