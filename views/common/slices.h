// SPDX-License-Identifier: GPL-3.0-or-later
// Texts and chains that the arena map and the lifetimes share for a tensor's slice of the arena.
#pragma once
#include <views/common/figure.h>
#include <views/common/session_source.h>
#include <views/common/sweep.h>

#include <QCoreApplication>
#include <map>
#include <unordered_map>

namespace arenascope::views {

// Per slice of a plan: the first slice of its in-place chain, and the step at which the next one of the chain reuses
// it.
struct Chains {
  std::vector<uint32_t> root;
  std::vector<int32_t> reused_at;   // a step; the end of the slice if it is not reused in place
  std::vector<int32_t> next;        // the slice that reuses it in place; -1: none
  std::vector<bool> has_followers;  // per root
};
Chains chains_of(const trace::PlanInfo& plan);

// Where the visible rectangle of an observed tensor ends. A tensor that is reused in place, or concatenated with
// others, ends where its successor begins, so that the two never overlap on the screen. Uses the plans of the observed
// runs.
class VisibleEnds {
 public:
  VisibleEnds(const trace::Snapshot& snapshot, const AxisFrame& axis, const std::vector<trace::ArenaAllocation>& seen);
  // In x; the end of the slice itself if it is not reused in place.
  double end(const trace::ArenaAllocation& slice);

 private:
  struct OfPlan {
    Chains chains;
    std::unordered_map<uint32_t, uint32_t> of_tensor;
  };
  const OfPlan* of(const trace::PlanInfo* plan);

  const trace::Snapshot& snapshot_;
  const AxisFrame& axis_;
  std::map<const trace::PlanInfo*, OfPlan> plans_;
  std::unordered_map<uint64_t, Nanoseconds> begins_;  // by run and tensor
};

struct SliceText {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::SliceText)
 public:
  // Known facts about a tensor's location, for a tooltip; null if unknown.
  struct SliceFacts {
    const trace::GraphInfo* graph = nullptr;
    const trace::PlanInfo* plan = nullptr;  // the plan of `slice`
    const trace::SliceInfo* slice = nullptr;
    const trace::ArenaAllocation* seen = nullptr;
    Nanoseconds origin = 0;      // start of the recording
    bool mention_unseen = true;  // report that it was not observed
  };
  static FigureText describe(trace::TensorRef tensor, const SliceFacts& known);
  // An allocation in an allocator's space: owner, bytes, address.
  static FigureText describe(const trace::Snapshot& snapshot, const trace::SpaceAllocation& slice);
  static FigureText lifetime_text(const trace::Snapshot& snapshot, const trace::SpaceAllocation& slice);
  static QString level(int32_t level);
  static const trace::TensorInfo* tensor(const trace::GraphInfo* graph, trace::TensorRef ref);
};

}  // namespace arenascope::views
