// SPDX-License-Identifier: MIT
// First fit by pressure: items that are live at the steps with the most live bytes are placed first.
#pragma once
#include "engine/planner/incumbent.h"

namespace arenascope::planner {

// If items that are live at the peak are placed before all others, they are stacked without holes, so
// that the arena there is the lower bound; the other items, which have more free bytes to choose from, follow. Several such
// orders are tried, and after each the few items above the bound are moved to the front and all are placed again. On
// training graphs, where placing by size alone leaves holes at the peak, one of these usually reaches the bound. Ends when
// `best` is done.
void try_peak_first(const Items& items, Incumbent& best);

}  // namespace arenascope::planner
