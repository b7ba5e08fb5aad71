// SPDX-License-Identifier: MIT
// The figures by which the planners are judged, each beside the best known.
#pragma once
#include <arenascope/base/bench_row.h>
#include <arenascope/planner/interval.h>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

namespace arenascope::planner {

struct BenchOptions {
  bool quick = false;  // a tenth of the budgets and the first of each kind, to see that it works
  int threads = 2;
  bool processor_time = false;  // budgets and seconds count the time this process was at work, on all its threads
  std::stop_token stop;                                 // the rows so far are returned
  std::function<void(const std::string&)> on_progress;  // what is measured now
};

// Rows for minimalloc's instances and the training traces under `data`/planning, where they are, and for generated
// perfect packings and a million buffers. Ratios are arena over lower bound.
std::vector<BenchRow> bench_planning(const std::filesystem::path& data, const BenchOptions& options);

// n buffers cut out of one of `steps` x `bytes` by random guillotine cuts, at a random place along a random axis, the
// largest piece next: a plan of exactly `bytes` exists.
Problem perfect_packing(int n, uint64_t seed, int64_t steps = 1000, Bytes bytes = Bytes{1} << 20);

// Many buffers as a long program would have them: short-lived ones mostly, sizes over several powers of ten.
Problem many_buffers(int n, uint64_t seed);

}  // namespace arenascope::planner
