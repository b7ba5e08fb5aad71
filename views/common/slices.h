// SPDX-License-Identifier: GPL-3.0-or-later
// What arena map and lifetimes say and colour alike about a tensor's slice of the arena.
#pragma once
#include <views/common/figure.h>
#include <views/common/rect_plottable.h>
#include <views/common/session_source.h>
#include <views/common/sweep.h>

#include <QCoreApplication>
#include <map>
#include <unordered_map>

namespace arenascope::views {

// The style of a slice's body; each exists seen (really lived) and only planned.
enum SliceStyle {  // without a base type: lupdate loses the namespace behind one
  kSliceWork0,     // three tints in turn, so that neighbours can be told apart
  kSliceWork1,
  kSliceWork2,
  kSliceInput,
  kSliceOutput,
  kSliceWeight,
  kSliceView,
  kSliceStyles,
};
uint32_t slice_style(const trace::TensorInfo* tensor, trace::TensorRef ref, bool seen);
std::vector<RectStyle> slice_styles(const ThemeColours& colours);  // seen, then planned: 2 * kSliceStyles

// For each slice of a plan: the first of its in-place chain, and the step at which the next of the chain takes over.
struct Chains {
  std::vector<uint32_t> root;
  std::vector<int32_t> handed_over;  // a step; the slice's own end where nobody takes over
  std::vector<int32_t> next;         // the slice that takes over; -1: none
  std::vector<bool> has_followers;   // of roots
};
Chains chains_of(const trace::PlanInfo& plan);

// Where what was seen ends for the eye: a tensor whose bytes another one takes over in place, or joins with others', gives
// way to it, so that the two are drawn one behind the other and never one on the other. By the plans of the runs that are seen.
class Takeovers {
 public:
  Takeovers(const trace::Snapshot& snapshot, const AxisFrame& axis, const std::vector<trace::SliceRect>& seen);
  // On the axis; its own end where nobody takes over.
  double end(const trace::SliceRect& slice);

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

struct SliceWords {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::SliceWords)
 public:
  // What is known of a tensor's place, for a tool tip; null where something is not.
  struct Known {
    const trace::GraphInfo* graph = nullptr;
    const trace::PlanInfo* plan = nullptr;  // of `slice`
    const trace::SliceInfo* slice = nullptr;
    const trace::SliceRect* seen = nullptr;
    Nanoseconds origin = 0;  // of the recording
    bool says_seen = true;   // whether it was seen is told
  };
  static FigureText describe(trace::TensorRef tensor, const Known& known);
  // Of what lies in an allocator's space: whose it is, its bytes, its address.
  static FigureText describe(const trace::Snapshot& snapshot, const trace::SpaceSlice& slice);
  static FigureText lived(const trace::Snapshot& snapshot, const trace::SpaceSlice& slice);
  static QString level(int32_t level);
  static const trace::TensorInfo* tensor(const trace::GraphInfo* graph, trace::TensorRef ref);
};

}  // namespace arenascope::views
