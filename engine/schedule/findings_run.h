// SPDX-License-Identifier: MIT
// Findings from a recorded run that need no re-planning: late threads, imbalance, repeated copies.
#pragma once
#include <arenascope/schedule/findings.h>

namespace arenascope {

void add_run_findings(const FindingsInput& input, std::vector<Finding>& found);

}  // namespace arenascope
