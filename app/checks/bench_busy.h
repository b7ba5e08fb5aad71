// SPDX-License-Identifier: GPL-3.0-or-later
// Two threads on processors that have other work as well.
#pragma once
#include <vector>

#include <arenascope/base/result.h>
#include "engine/bench/bench_row.h"

namespace arenascope::app {

// Networks with two threads beside the same with one, in turns, by the clock, while a thread that never rests stays on
// each of two processors. The ratio is the median of the turns' ratios of time. No rows with fewer than two
// processors. Errors: a network cannot be run.
Result<std::vector<BenchRow>> bench_busy(bool quick);

}  // namespace arenascope::app
