// SPDX-License-Identifier: MIT
#pragma once
#include "engine/planner/incumbent.h"

namespace arenascope::planner {

// For problems of very many items: time is cut into chunks at steps where little is live. Items that cross a cut are placed
// first; then each chunk is a small problem of its own, which fits into the CPU cache and is independent of the
// others. All chunks are laid once, from large to small; from then on the one with the highest end is tried again, in
// ways that take longer and longer. Items must be simple, without fixed offsets; else nothing is done. The outcome does
// not depend on the number of threads. Returns when the plan is settled, time is up, or nothing more helps.
void try_chunks(const Items& items, int threads, Incumbent& best);

}  // namespace arenascope::planner
