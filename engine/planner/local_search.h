// SPDX-License-Identifier: MIT
// Local search over orders: items that came to lie too high go earlier the next time. Slower than the valleys where
// those apply, but it knows gaps, fixed offsets, parts and any alignments.
#pragma once
#include "engine/planner/incumbent.h"

namespace arenascope::planner {

// Improves the incumbent until it is done or `until` is over, or until nothing came of `patience` tries in a row.
void search_locally(const Items& items, const Deadline& until, int patience, Incumbent& best);

}  // namespace arenascope::planner
