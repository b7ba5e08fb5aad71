// SPDX-License-Identifier: MIT
// The peak of each execution order relative to the minimum, and its run time, on seeded random graphs.
#pragma once
#include <vector>

#include "engine/bench/bench_row.h"

namespace arenascope {

// For graphs of up to 40 ops: the peak of each order ÷ the proven minimum (geometric mean), the share of proven minima
// and the longest time. For 100 to 1000 ops: the peak of the search ÷ that of least-peak-first and of the best other
// order, and the longest time. `small_graphs` and `large_graphs` are the numbers of graphs; each search of a large
// graph has `budget_seconds`.
std::vector<BenchRow> bench_orders(int small_graphs = 200, int large_graphs = 6, double budget_seconds = 2);

}  // namespace arenascope
