// SPDX-License-Identifier: GPL-3.0-or-later
// The step of a plan with the most live bytes.
#pragma once
#include <arenascope/trace/snapshot.h>

namespace arenascope::views {

struct PlanPeak {
  std::vector<Bytes> live;  // per step
  Bytes bytes = 0;
  Step step;  // the first such step; invalid without a plan
};

PlanPeak peak_of(const trace::PlanInfo* plan);  // accepts null

}  // namespace arenascope::views
