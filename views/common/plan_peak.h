// SPDX-License-Identifier: GPL-3.0-or-later
// Where most of a plan is live.
#pragma once
#include <arenascope/trace/snapshot.h>

namespace arenascope::views {

struct PlanPeak {
  std::vector<Bytes> live;  // at each step
  Bytes bytes = 0;
  Step step;  // the first with so many; none without a plan
};

PlanPeak peak_of(const trace::PlanInfo* plan);  // null: none

}  // namespace arenascope::views
