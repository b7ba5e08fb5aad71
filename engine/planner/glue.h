// SPDX-License-Identifier: MIT
#pragma once
#include "engine/planner/incumbent.h"
#include "engine/planner/sections.h"

namespace arenascope::planner {

// Glues items into larger ones, then plans those: what begins where another of its size ends takes over its bytes, and
// what lives exactly as long as another lies on top of it. So the last cuts of a packing that was made by cutting are
// taken back, often all of them. Several attempts that glue in different orders, as long as they take away items.
// `sections` are those of the items. Deterministic.
void try_glued(const Items& items, const Sections& sections, int threads, Incumbent& best);

}  // namespace arenascope::planner
