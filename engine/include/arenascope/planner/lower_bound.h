// SPDX-License-Identifier: MIT
// A lower bound of the arena size of any plan.
#pragma once
#include <arenascope/planner/clock.h>
#include <arenascope/planner/interval.h>

namespace arenascope::planner {

// The largest sum of live bytes over all steps, with sizes rounded up to the alignment that all live buffers share
// (less the padding that the highest of them needs not), and never below the end of a buffer with a fixed offset.
// Buffers that may share bytes (in place, attached) count once. O(n log n). The problem must be valid.
Bytes lower_bound(const Problem& problem, const StopCheck& stop_check = {});

// Sum of live bytes at each step where it changes, for curves: (step, bytes from there on), in order of time.
std::vector<std::pair<int64_t, Bytes>> live_bytes(const Problem& problem);

}  // namespace arenascope::planner
