// SPDX-License-Identifier: MIT
// What it costs the threads to meet: our barrier against one central counter that everybody spins on.
#pragma once
#include <vector>

#include "engine/bench/bench_row.h"

namespace arenascope {

// Nanoseconds a meeting, for 2 and for all processors' threads; each figure and its peer's taken in turn, medians.
std::vector<BenchRow> bench_barrier();

}  // namespace arenascope
