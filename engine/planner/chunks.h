// SPDX-License-Identifier: MIT
#pragma once
#include "engine/planner/incumbent.h"

namespace arenascope::planner {

// For problems of very many items: time is cut into chunks at steps where little is live. Items that cross a cut are placed
// first; then each chunk is a small problem of its own, which fits into the CPU cache and is independent of the
// others. All chunks are planned once, from large to small; then the one with the highest end is improved repeatedly, with
// increasing effort. Items must be simple, without fixed offsets; otherwise nothing is done. The result does
// not depend on the number of threads. Returns when the plan is settled, time is up, or no attempt improves it.
void try_chunks(const Items& items, int threads, Incumbent& best);

}  // namespace arenascope::planner
