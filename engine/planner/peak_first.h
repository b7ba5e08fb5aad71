// SPDX-License-Identifier: MIT
// First fit by pressure: what is live at the steps with the most live bytes is placed first.
#pragma once
#include "engine/planner/incumbent.h"

namespace arenascope::planner {

// Items that are live at the peak lie on top of each other without a hole if they are placed before all others, so
// that the arena there is the bound; the rest, which has more free bytes to choose from, comes after. Several such orders are tried, and
// after each the few items that still reach above the bound go to the front and all is placed again. On training
// graphs, where by size alone leaves holes at the peak, one of these usually is at the bound. Ends when `best` is done.
void try_peak_first(const Items& items, Incumbent& best);

}  // namespace arenascope::planner
