// SPDX-License-Identifier: MIT
// What could be better about memory that allocators handed out: from spaces and slices, for want of a plan that was used.
#pragma once
#include <arenascope/schedule/findings.h>

namespace arenascope {

// Who is there at the peak, what spaces held in vain, what is waste inside of blocks, and what a plan of the same
// lifetimes would need. Adds nothing for a run whose tensors lie in an arena. Takes a quarter of the budget at most.
void add_space_findings(const FindingsInput& input, const FindingsOptions& options, std::vector<Finding>& found);

}  // namespace arenascope
