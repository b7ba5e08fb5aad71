// SPDX-License-Identifier: GPL-3.0-or-later
// Prepared data of the occupancy view: live bytes, planned bytes, and the values that they are compared with.
#pragma once
#include <views/common/memory_class.h>
#include <views/common/prepared.h>
#include <views/common/spaces.h>
#include <views/common/sweep.h>
#include <views/occupancy/plan_curves.h>

namespace arenascope::views {

enum class OccupancyScope : uint8_t {
  Auto,        // the arena, or by kind or call site if the run's tensors are in allocator spaces
  Arena,       // the planned arena and its lower bound
  Kinds,       // all memory by kind
  Allocators,  // by allocator
  Devices,     // by device
  Classes,     // by use
  CallSites,   // by the call sites with the most bytes at the peak
};

struct OccupancyPicture : Prepared {
  OccupancyScope scope = OccupancyScope::Arena;
  std::vector<CurveSegment> live;     // arena: observed live bytes
  std::vector<CurveSegment> planned;  // arena: live bytes of the plan
  struct Kind {
    trace::MemoryKind kind{};
    uint32_t allocator = 0;             // if the scope is Allocators
    trace::DeviceId device;             // if the scope is Devices
    MemoryClass memory_class{};         // if the scope is Classes
    std::string call_site;              // if the scope is CallSites; "": unknown
    bool is_remainder = false;          // all but the largest
    bool unfilled = false;              // of a cache: bytes that hold no tokens yet
    Bytes at_peak = 0;                  // its share of the run's peak
    std::vector<CurveSegment> levels;   // this kind alone
    std::vector<CurveSegment> stacked;  // stacked on the lower layers: min is the lower edge
  };
  std::vector<Kind> kinds;                   // layers from bottom to top; only those that were used
  bool derived = false;                      // arena: times are derived from the plan and the spans
  Bytes needed = 0;                          // memory requirement of a plan, in `planned`; 0: not shown
  std::vector<CurveSegment> reserved;        // curve of all kinds together
  Bytes arena = 0, bound = 0, capacity = 0;  // 0: unknown
  Bytes peak = 0;                            // peak of the current run; the same in both axis modes
  Bytes resident = 0;                        // maximum resident memory of the process during the run; 0: not sampled
  std::optional<Bytes> outside;  // its part that is outside all allocators; none: their reservations were not recorded
  Bytes filled = 0;              // maximum filled bytes of caches; 0: unknown
  std::string filled_id;
  double peak_x = 0;  // position of the peak
  Step peak_step;
  std::string peak_id, peak_step_id;  // figure ids of the peak
  std::string peak_name;              // the node that runs at the peak
  double top = 0;                     // the maximum of all drawn curves
  // Live bytes of the other side of the comparison, or of its plan; the sum of all kinds if the scope is Kinds.
  std::vector<CurveSegment> other;
  Bytes other_arena = 0, other_peak = 0;
  std::string other_peak_id;
  // Planned bytes of the previous plan.
  std::vector<CurveSegment> ghost;
  Bytes ghost_arena = 0;
  std::string ghost_id;

  Bytes gap() const { return arena > bound && bound > 0 ? arena - bound : 0; }
};

// A pure function. Without a plan the scope is always Kinds. `with_plan`: also show the requirement of a plan that the
// run did not use. `curves`: cache of curves; may be null.
std::shared_ptr<const OccupancyPicture> prepare_occupancy(const PrepareInput& input, OccupancyScope scope,
                                                          const std::stop_token& stop, bool with_plan = false,
                                                          PlanCurves* curves = nullptr);
// The value of a curve at x; 0 outside of it.
double value_at(const std::vector<CurveSegment>& levels, double x);

}  // namespace arenascope::views
