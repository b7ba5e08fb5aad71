// SPDX-License-Identifier: GPL-3.0-or-later
// Walks along x over stays in an arena and says how many bytes are in use and where the holes between them are.
// Addresses that two stays share (an in-place chain) count once.
#pragma once
#include <arenascope/trace/snapshot.h>
#include <views/common/axis_mapping.h>

#include <optional>
#include <stop_token>
#include <vector>

namespace arenascope::views {

struct Stay {  // half-open in both directions
  double x0 = 0, x1 = 0;
  Bytes lo = 0, hi = 0;
};

struct Level {  // a piece of a curve: what it takes between x0 and x1
  double x0 = 0, x1 = 0;
  double min = 0, max = 0;
  bool operator==(const Level&) const = default;
};

struct SweepResult {
  std::vector<Level> live;  // where anything lives; by x
  std::vector<Stay> holes;  // unused between used ones, as long as they stay the same
  Bytes top = 0;            // the highest address in use
};

// O(n log n + n * live at once). An empty result where it was stopped.
SweepResult sweep(std::vector<Stay> stays, bool holes, const std::stop_token& stop = {});

// The same curve with at most one piece a pixel, between the least and the most it takes there.
std::vector<Level> reduced(const std::vector<Level>& levels, AxisRange range, int pixels);

// The stays of a plan, and those that were seen: in the chosen run (step mode), or in the visible time (time mode).
std::vector<Stay> plan_stays(const trace::PlanInfo& plan, const AxisFrame& axis);
struct SeenSlices {
  std::vector<trace::SliceRect> slices;
  bool complete = true;  // false: there were more than could be taken in
};
SeenSlices seen_slices(const trace::Snapshot& snapshot, trace::RunId run, const AxisFrame& axis);
Stay stay_of(const trace::SliceRect& slice, const AxisFrame& axis);

// What a run's arena was like, worked out over its steps and so the same on either axis and at any zoom.
struct ArenaShape {
  Bytes peak = 0;        // most bytes live at once
  Step peak_step;        // the first with so many
  double peak_x = 0;     // its middle on the axis at hand
  Bytes hole_most = 0;   // most bytes in holes at once
  bool planned = false;  // nothing was seen: as the plan has it
};
// As it was seen, or as `plan` has it where nothing was or `only_plan` is set. None: neither is there.
std::optional<ArenaShape> arena_shape(const trace::Snapshot& snapshot, trace::RunId run, const trace::PlanInfo* plan,
                                      bool only_plan, const AxisFrame& axis, const std::stop_token& stop);
// Most bytes in holes at once.
Bytes most_in_holes(const std::vector<Stay>& holes);

}  // namespace arenascope::views
