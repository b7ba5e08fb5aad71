// SPDX-License-Identifier: GPL-3.0-or-later
// Comparison of the current session with another one: the other side, and the mapping of its tensors and steps to ours.
#pragma once
#include <arenascope/trace/match.h>
#include <views/common/axis_mapping.h>

#include <QString>

namespace arenascope::views {

// One side of a comparison: a run, a plan, or a model that was only planned. Immutable.
struct ComparisonSide {
  QString title;
  std::shared_ptr<const trace::Snapshot> snapshot;  // never null
  trace::RunId run;                                 // invalid: only planned
  std::shared_ptr<const trace::GraphInfo> graph;    // may be null, for traces of other programs
  std::shared_ptr<const trace::PlanInfo> plan;

  // Takes the most recent finished run of a snapshot, or its most recent plan if there is no run.
  static ComparisonSide of(std::shared_ptr<const trace::Snapshot> snapshot, const QString& title);
};

// A comparison side matched against one graph and plan of the current session. Immutable.
struct Comparison {
  ComparisonSide other;
  trace::GraphMatch match;                   // from our tensors to those of the other side
  std::shared_ptr<const AxisMapping> steps;  // from the other side's steps to ours; null: nothing matched
  size_t only_ours = 0, only_theirs = 0;     // nodes without a counterpart

  static std::shared_ptr<const Comparison> make(ComparisonSide other, const trace::GraphInfo* graph,
                                                const trace::PlanInfo* plan);
  // The other side's axis in our x coordinates. The start of its run is aligned with the start of `run`, which is ours.
  AxisFrame frame(const AxisFrame& ours, const trace::Run* run) const;
};
using ComparisonPtr = std::shared_ptr<const Comparison>;

}  // namespace arenascope::views
