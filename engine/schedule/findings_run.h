// SPDX-License-Identifier: MIT
// Findings that a run tells without planning anything: late threads, imbalance, copies that come again.
#pragma once
#include <arenascope/schedule/findings.h>

namespace arenascope {

void add_run_findings(const FindingsInput& input, std::vector<Finding>& found);

}  // namespace arenascope
