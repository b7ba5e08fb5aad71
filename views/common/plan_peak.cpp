// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/plan_peak.h>

#include <algorithm>

namespace arenascope::views {

PlanPeak peak_of(const trace::PlanInfo* plan) {
  PlanPeak peak;
  if (plan == nullptr) return peak;
  peak.live = trace::Snapshot::occupancy(*plan);
  const auto most = std::max_element(peak.live.begin(), peak.live.end());
  if (most == peak.live.end()) return peak;
  peak.bytes = *most;
  peak.step = Step(static_cast<int32_t>(most - peak.live.begin()));
  return peak;
}

}  // namespace arenascope::views
