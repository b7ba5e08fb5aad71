// SPDX-License-Identifier: GPL-3.0-or-later
// Exact values at the cursor: at a step, or at an instant. They do not depend on the resolution of the plot, which may
// show the maximum within a pixel.
#pragma once
#include <arenascope/trace/space_use.h>
#include <views/common/axis_mapping.h>
#include <views/common/figure.h>
#include <views/common/memory_class.h>

#include <optional>

namespace arenascope::views {

class CursorReadout {
 public:
  // At an x of the axis. A plan that was never run has steps but no times.
  CursorReadout(const trace::Snapshot& snapshot, trace::RunId run, const trace::PlanInfo* plan, bool only_plan,
                const AxisFrame& axis, double x);

  bool by_step() const { return by_step_; }
  Nanoseconds time() const { return time_; }
  const std::optional<Step>& step() const { return step_; }

  // "step 12": the step under the cursor, or in time mode the step that was running then.
  Figure step_figure() const;
  // Rectangles observed in the arena at the cursor; live() is the size of their union. hole() also takes unobserved
  // tensors of the plan into account.
  std::vector<trace::ArenaAllocation> observed() const;
  Figure live() const;
  Figure unused() const;   // unused bytes of the plan's arena
  Figure planned() const;  // live bytes according to the plan; empty text if there is no step
  struct Hole {
    Bytes low = 0, high = 0;
  };
  std::optional<Hole> hole(Bytes address) const;
  Figure of_hole(const Hole& hole, bool end) const;  // its size, or its end address

  // The maximum within the step, or the value at the instant.
  Figure active(trace::MemoryKind kind) const;
  Figure reserved() const;
  Figure filled(trace::MemoryKind kind, bool rest) const;  // bytes of a cache that hold tokens, or the remaining bytes
  // At the instant, in both axis modes.
  Figure of_allocator(uint32_t allocator) const;
  Figure of_device(trace::DeviceId device) const;
  Figure of_class(MemoryClass which) const;

 private:
  std::string id(const std::string& what) const;       // "run.0.step.3.live"
  std::string at_time(const std::string& what) const;  // "run.0.at.1250.live"
  Bytes most(const trace::SeriesView& series) const;
  Bytes union_of_stays() const;
  std::vector<trace::SpaceAllocation> allocations() const;  // in any space, at the instant

  const trace::Snapshot& snapshot_;
  const trace::RunId run_;
  const trace::PlanInfo* plan_;
  const bool only_plan_;
  bool by_step_ = false;
  Nanoseconds time_ = 0, step_begin_ = 0, step_end_ = 0;
  std::optional<Step> step_;
};

}  // namespace arenascope::views
