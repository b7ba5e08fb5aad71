// SPDX-License-Identifier: MIT
// The cost of a barrier, compared with a central counter on which all threads spin.
#pragma once
#include <vector>

#include "engine/bench/bench_row.h"

namespace arenascope {

// Nanoseconds per barrier with 2 threads and with one thread per CPU. Measurement and baseline are interleaved; the
// rows are medians.
std::vector<BenchRow> bench_barrier();

}  // namespace arenascope
