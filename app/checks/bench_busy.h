// SPDX-License-Identifier: GPL-3.0-or-later
// Two threads on CPUs that run other work as well.
#pragma once
#include <vector>

#include <arenascope/base/result.h>
#include "engine/bench/bench_row.h"

namespace arenascope::app {

// Compares networks on two threads with one thread, interleaved, in wall-clock time, while a busy thread occupies
// each of two CPUs. The ratio is the median of the ratios of the pairs. Returns no rows with fewer than two CPUs.
// Errors: a network cannot be run.
Result<std::vector<BenchRow>> bench_busy(bool quick);

}  // namespace arenascope::app
