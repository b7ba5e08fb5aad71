// SPDX-License-Identifier: MIT
// The figures by which the planners are judged, each beside the best known.
#pragma once
#include <arenascope/planner/generate.h>
#include "engine/bench/bench_row.h"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

namespace arenascope::planner {

struct BenchOptions {
  bool quick = false;  // a tenth of the budgets and the first of each kind, to see that it works
  int threads = 2;
  bool processor_time = false;  // budgets and seconds count the time this process was at work, on all its threads
  std::stop_token stop;         // the rows so far are returned
  std::function<void(const std::string&)> on_progress;  // what is measured now
};

// Rows for minimalloc's instances and the training traces under `data`/planning, where they are, and for generated
// perfect packings and a million buffers. Ratios are arena over lower bound.
std::vector<BenchRow> bench_planning(const std::filesystem::path& data, const BenchOptions& options);

}  // namespace arenascope::planner
