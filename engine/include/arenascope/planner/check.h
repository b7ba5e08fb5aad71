// SPDX-License-Identifier: MIT
// Proves a plan right or names the two buffers that collide.
#pragma once
#include <arenascope/planner/interval.h>
#include <arenascope/planner/plan.h>

namespace arenascope::planner {

// Ok when the plan has an offset for each interval, all are aligned, fixed offsets and attachments are kept, nothing
// leaves [0, arena_bytes), and no two intervals that are alive at the same step overlap (other than in place or as
// attached). Independent of every planner's data structures. O(n log n).
[[nodiscard]] Status check(const Problem& problem, const Plan& plan);

}  // namespace arenascope::planner
