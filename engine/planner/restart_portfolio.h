// SPDX-License-Identifier: MIT
// Races valley searches of several strategies against each other, at the bound and between the bound and the best plan.
#pragma once
#include "engine/planner/incumbent.h"
#include "engine/planner/sections.h"

namespace arenascope::planner {

// Improves the incumbent until it is done, or for a number of waves of four restarts. The result depends on the number of
// steps only, not on `threads`.
void run_restart_portfolio(const Items& items, const Sections& sections, int threads, Incumbent& best,
                           uint64_t waves = ~uint64_t{0});

}  // namespace arenascope::planner
