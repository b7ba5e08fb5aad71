// SPDX-License-Identifier: GPL-3.0-or-later
// What was so where the mouse points: at a step, or at a moment of time. Exact, whatever the resolution of what is drawn:
// a picture may show the most of a pixel, a number beside the mouse may not.
#pragma once
#include <arenascope/trace/space_use.h>
#include <views/common/axis_mapping.h>
#include <views/common/figure.h>
#include <views/common/memory_class.h>

#include <optional>

namespace arenascope::views {

class Moment {
 public:
  // At an x of the axis. A plan that was never run has steps alone.
  Moment(const trace::Snapshot& snapshot, trace::RunId run, const trace::PlanInfo* plan, bool only_plan,
         const AxisFrame& axis, double x);

  bool by_step() const { return by_step_; }
  Nanoseconds time() const { return time_; }
  const std::optional<Step>& step() const { return step_; }

  // "step 12": pointed at, or the one that went on then.
  Figure step_figure() const;
  // Of all that was seen in the arena: union bytes. And with what was not seen as it was planned, the gap around an address.
  std::vector<trace::SliceRect> stays() const;
  Figure live() const;
  Figure unused() const;   // of the plan's arena
  Figure planned() const;  // of the plan; an empty text: no step
  struct Hole {
    Bytes low = 0, high = 0;
  };
  std::optional<Hole> hole(Bytes address) const;
  Figure of_hole(const Hole& hole, bool end) const;  // its bytes, or where it ends

  // The most of the step, or what it was at the time.
  Figure active(trace::MemoryKind kind) const;
  Figure reserved() const;
  Figure filled(trace::MemoryKind kind, bool rest) const;  // of a cache: what holds a token's, or the rest
  // At the time, on either axis.
  Figure of_allocator(uint32_t allocator) const;
  Figure of_device(trace::DeviceId device) const;
  Figure of_class(MemoryClass which) const;

 private:
  std::string id(const std::string& what) const;       // "run.0.step.3.live"
  std::string at_time(const std::string& what) const;  // "run.0.at.1250.live"
  Bytes most(const trace::SeriesView& series) const;
  Bytes union_of_stays() const;
  std::vector<trace::SpaceSlice> allocations() const;  // at the time, in any space

  const trace::Snapshot& snapshot_;
  const trace::RunId run_;
  const trace::PlanInfo* plan_;
  const bool only_plan_;
  bool by_step_ = false;
  Nanoseconds time_ = 0, step_begin_ = 0, step_end_ = 0;
  std::optional<Step> step_;
};

}  // namespace arenascope::views
