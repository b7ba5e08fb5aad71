// SPDX-License-Identifier: GPL-3.0-or-later
// The monotone map Step <-> Time and the arithmetic of zooming and panning, as plain values without widgets.
//
//   time ^          .-'        Anchors are the times at which steps began. Between them the map is linear; beyond
//        |      _.-'           them it continues with the mean slope, so that it can always be inverted.
//        |   .-'
//        +--'------------> step
#pragma once
#include <arenascope/trace/snapshot.h>

#include <memory>
#include <vector>

namespace arenascope::views {

class AxisMapping {
 public:
  struct Anchor {
    double step = 0;
    double time = 0;  // ns after the origin
    bool operator==(const Anchor&) const = default;
  };

  AxisMapping() = default;
  // Accepts anchors in any order and drops those that would make the map non-increasing. `steps` is the length of the
  // execution order, which may exceed the number of observed steps.
  AxisMapping(std::vector<Anchor> anchors, int32_t steps);
  // Builds the map from the step marks of a run; times are relative to `origin`.
  static AxisMapping from(const trace::StepMap& map, Nanoseconds origin, int32_t steps);
  // Runs in place of steps: the i-th recorded run covers [i, i + 1), its last part being the time until the next run. The
  // recording before the first run and after the last one has half of a run each.
  static AxisMapping of_runs(const trace::Snapshot& snapshot, trace::TimeRange recorded, Nanoseconds origin);

  bool empty() const { return anchors_.size() < 2; }  // then both conversions return their argument
  int32_t steps() const { return steps_; }
  double step_at(double time) const;
  double time_of(double step) const;
  const std::vector<Anchor>& anchors() const { return anchors_; }
  bool operator==(const AxisMapping&) const = default;

 private:
  std::vector<Anchor> anchors_;  // strictly increasing in both
  int32_t steps_ = 0;
};

enum class AxisMode : uint8_t { Step, Time };

struct AxisRange {  // half-open, in steps, runs or ns after the origin
  double lo = 0, hi = 1;
  double length() const { return hi - lo; }
  double middle() const { return lo + (hi - lo) / 2; }
  bool contains(double x) const { return x >= lo && x < hi; }
  bool operator==(const AxisRange&) const = default;
};

// Scales the length of `range` by `factor` around `centre`, clamped to [shortest, limits].
AxisRange zoomed(AxisRange range, double factor, double centre, AxisRange limits, double shortest);
// Moves the range by `delta`; stops at `limits` and keeps the length.
AxisRange panned(AxisRange range, double delta, AxisRange limits);
// Shortens and moves the range so that it fits into `limits`.
AxisRange bounded(AxisRange range, AxisRange limits, double shortest);

// An immutable copy of the shared axis for use on a worker: converts steps and times to x. The unit of x depends on
// `mode`: steps, or ns after the origin.
struct AxisFrame {
  AxisMapping mapping;
  AxisMode mode = AxisMode::Step;
  Nanoseconds origin = 0;
  AxisRange range;  // the visible range
  // In time mode: x counts runs instead of nanoseconds. Null: it does not.
  std::shared_ptr<const AxisMapping> runs = nullptr;
  // For the other side of a comparison: maps its steps (as step) to the steps of this axis (as time). Null: identity.
  std::shared_ptr<const AxisMapping> align;

  double x_of_step(double step) const {
    return mode == AxisMode::Step ? aligned(step) : x_of_after(mapping.time_of(step));
  }
  double x_of_time(Nanoseconds t) const {
    const double after = static_cast<double>(t - origin);
    return mode == AxisMode::Time ? x_of_after(after) : aligned(mapping.step_at(after));
  }
  double step_of_x(double x) const { return mode == AxisMode::Step ? own_step(x) : mapping.step_at(after_of_x(x)); }
  bool by_runs() const { return runs != nullptr; }
  // In time mode, from and to nanoseconds after the origin.
  double x_of_after(double after) const { return runs ? runs->step_at(after) : after; }
  double after_of_x(double x) const { return runs ? runs->time_of(x) : x; }
  double aligned(double own) const { return align ? align->time_of(own) : own; }
  double own_step(double x) const { return align ? align->step_at(x) : x; }
  Nanoseconds time_of_x(double x) const;
  trace::TimeRange time_range() const { return {time_of_x(range.lo), time_of_x(range.hi)}; }
  bool operator==(const AxisFrame&) const = default;
};

// A part of the axis in which x is nearly linear in time.
struct AxisStretch {
  trace::TimeRange time;
  int pixels = 1;
};
// The visible range as consecutive stretches of at least `min_pixels`; one if x is a time.
std::vector<AxisStretch> stretches_of(const AxisFrame& axis, int pixels, int min_pixels = 4);
// One point per pixel of the visible range.
std::vector<trace::CurvePoint> curve_on(const AxisFrame& axis, const trace::SeriesView& series, int pixels);

}  // namespace arenascope::views
