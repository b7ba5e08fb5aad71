// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps along x over the live rectangles of an arena to compute the live bytes and the holes between the rectangles.
// Addresses shared by two rectangles (an in-place chain) count once.
#pragma once
#include <arenascope/trace/snapshot.h>
#include <views/common/axis_mapping.h>

#include <optional>
#include <stop_token>
#include <vector>

namespace arenascope::views {

struct LiveRect {  // half-open in both directions
  double x0 = 0, x1 = 0;
  Bytes lo = 0, hi = 0;
};

struct CurveSegment {  // the range of values between x0 and x1
  double x0 = 0, x1 = 0;
  double min = 0, max = 0;
  bool operator==(const CurveSegment&) const = default;
};

struct SweepResult {
  std::vector<CurveSegment> live;  // where anything is live; sorted by x
  std::vector<LiveRect> holes;     // free ranges between live ones, as long as they are unchanged
  Bytes top = 0;                   // the highest address in use
};

// O(n log n + n × simultaneously live). An empty result if stopped.
SweepResult sweep(std::vector<LiveRect> rects, bool holes, const std::stop_token& stop = {});

// The same curve with at most one segment per pixel, which spans the minimum and maximum within it.
std::vector<CurveSegment> reduced(const std::vector<CurveSegment>& levels, AxisRange range, int pixels);

// The rectangles of a plan, and the observed slices: of the chosen run (step mode), or in the visible time (time mode).
std::vector<LiveRect> planned_rects(const trace::PlanInfo& plan, const AxisFrame& axis);
struct SeenSlices {
  std::vector<trace::ArenaAllocation> slices;
  bool complete = true;  // false: there were more than the limit
};
SeenSlices seen_slices(const trace::Snapshot& snapshot, trace::RunId run, const AxisFrame& axis);
LiveRect live_rect_of(const trace::ArenaAllocation& slice, const AxisFrame& axis);

// Summary of a run's arena. Computed over its steps, so that it is the same in both axis modes and at any zoom.
struct ArenaShape {
  Bytes peak = 0;            // maximum live bytes
  Step peak_step;            // the first step with so many
  double peak_x = 0;         // its middle on the current axis
  Bytes max_hole_bytes = 0;  // maximum bytes in holes at the same time
  bool planned = false;      // nothing was observed: values of the plan
};
// From the observed slices, or from `plan` if there are none or `only_plan` is set. nullopt if there is neither.
std::optional<ArenaShape> arena_shape(const trace::Snapshot& snapshot, trace::RunId run, const trace::PlanInfo* plan,
                                      bool only_plan, const AxisFrame& axis, const std::stop_token& stop);
// Maximum bytes in holes at the same time.
Bytes max_bytes_in_holes(const std::vector<LiveRect>& holes);

}  // namespace arenascope::views
