// SPDX-License-Identifier: GPL-3.0-or-later
// What arena map and lifetimes say and colour alike about a tensor's slice of the arena.
#pragma once
#include <views/common/rect_plottable.h>
#include <views/common/session_source.h>

#include <QCoreApplication>
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

struct SliceWords {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::SliceWords)
 public:
  // Lines about a slice for a tool tip; null where something is not known.
  static QStringList describe(const trace::GraphInfo* graph, const trace::PlanInfo* plan, trace::TensorRef tensor,
                              const trace::SliceInfo* slice, const trace::SliceRect* seen);
  static QString level(int32_t level);
  static const trace::TensorInfo* tensor(const trace::GraphInfo* graph, trace::TensorRef ref);
};

}  // namespace arenascope::views
