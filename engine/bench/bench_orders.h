// SPDX-License-Identifier: MIT
// How near the orders come to the least peak, and how fast, on seeded random graphs.
#pragma once
#include <vector>

#include "engine/bench/bench_row.h"

namespace arenascope {

// For graphs of up to 40 ops: each order's peak ÷ the proved least one (geometric mean), the share that is proved and
// the longest time. For 100 to 1000 ops: the search's peak ÷ least-peak-first's and ÷ the best other's, and the longest
// time. `small_graphs` and `large_graphs` say how many of each; a search of a large graph has `budget_seconds`.
std::vector<BenchRow> bench_orders(int small_graphs = 200, int large_graphs = 6, double budget_seconds = 2);

}  // namespace arenascope
