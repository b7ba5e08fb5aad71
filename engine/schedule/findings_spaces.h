// SPDX-License-Identifier: MIT
// Findings about memory from allocators, computed from spaces and allocations of runs without a plan.
#pragma once
#include <arenascope/schedule/findings.h>

namespace arenascope {

// Adds the allocations at the peak, unused reserved bytes, waste inside blocks, and the size of a plan of the same
// lifetimes. Adds nothing for a run whose tensors are in an arena. Uses at most a quarter of the budget.
void add_space_findings(const FindingsInput& input, const FindingsOptions& options, std::vector<Finding>& found);

}  // namespace arenascope
