// SPDX-License-Identifier: MIT
// Local search over orders (squeaky wheel optimisation): items that were placed too high are moved forward for the next
// attempt. Slower than valley search, but it supports gaps, fixed offsets, parts and any alignment.
#pragma once
#include "engine/planner/incumbent.h"

namespace arenascope::planner {

// Improves the incumbent until it is done, `until` is over, or `patience` consecutive attempts brought no improvement.
void search_locally(const Items& items, const Deadline& until, int patience, Incumbent& best);

}  // namespace arenascope::planner
