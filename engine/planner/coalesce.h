// SPDX-License-Identifier: MIT
#pragma once
#include "engine/planner/incumbent.h"
#include "engine/planner/sections.h"

namespace arenascope::planner {

// Coalesces items into larger ones, then plans those: what begins where another of its size ends takes over its bytes,
// and items with equal lifetimes are stacked. So the last cuts of a packing that was made by cutting
// are reversed, often all of them. Several attempts coalesce in different orders, as long as items disappear.
// `sections` are those of the items. Deterministic.
void try_coalesced(const Items& items, const Sections& sections, int threads, Incumbent& best);

}  // namespace arenascope::planner
