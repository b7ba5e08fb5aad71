// SPDX-License-Identifier: GPL-3.0-or-later
// What the session at hand is compared with: another session's moment, and which of its tensors and steps are ours.
#pragma once
#include <arenascope/trace/match.h>
#include <views/common/axis_mapping.h>

#include <QString>

namespace arenascope::views {

// A run, a plan or a model that was only planned. Immutable.
struct Other {
  QString title;
  std::shared_ptr<const trace::Snapshot> snapshot;  // never null
  trace::RunId run;                                 // none: it was only planned
  std::shared_ptr<const trace::GraphInfo> graph;    // may be null, as in traces of other tools
  std::shared_ptr<const trace::PlanInfo> plan;

  // Of the newest finished run of a snapshot, or of its newest plan.
  static Other of(std::shared_ptr<const trace::Snapshot> snapshot, const QString& title);
};

// It, held against one graph and plan of ours. Immutable.
struct Comparison {
  Other other;
  trace::GraphMatch match;                   // from ours to theirs
  std::shared_ptr<const AxisMapping> steps;  // from their steps to ours; null: nothing could be matched
  size_t only_ours = 0, only_theirs = 0;     // nodes without a counterpart

  static std::shared_ptr<const Comparison> make(Other other, const trace::GraphInfo* graph,
                                                const trace::PlanInfo* plan);
  // Their axis, such that their x are ours. `run`: ours, whose beginning theirs is laid upon.
  AxisFrame frame(const AxisFrame& ours, const trace::Run* run) const;
};
using ComparisonPtr = std::shared_ptr<const Comparison>;

}  // namespace arenascope::views
