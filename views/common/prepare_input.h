// SPDX-License-Identifier: GPL-3.0-or-later
// The data that the picture of a view is prepared from.
#pragma once
#include <views/common/session_source.h>

namespace arenascope::views {

// An immutable copy of everything that a prepared picture depends on, safe to pass to a worker.
struct PrepareInput {
  SnapshotPtr snapshot;
  std::shared_ptr<const trace::PlanInfo> shown_plan;  // keeps `plan` alive if it is not in the snapshot
  trace::RunId run;
  const trace::GraphInfo* graph = nullptr;
  const trace::PlanInfo* plan = nullptr;
  const trace::PlanInfo* ghost = nullptr;
  AxisFrame axis;                                                // its range is the range to prepare
  int pixels = 1;                                                // over that range
  std::shared_ptr<const trace::PlanInfo> plan_before = nullptr;  // keeps `ghost` alive if it is not in the snapshot
  ComparisonPtr comparison = nullptr;                            // null: no comparison

  // The same for the other side of the comparison, on our axis. Requires a comparison.
  PrepareInput comparison_input() const;
};

}  // namespace arenascope::views
