// SPDX-License-Identifier: GPL-3.0-or-later
// The occupancy view's data, prepared: how many bytes live when, what was planned, and what that is to be held against.
#pragma once
#include <views/common/memory_class.h>
#include <views/common/spaces.h>
#include <views/common/sweep.h>
#include <views/occupancy/plan_curves.h>

namespace arenascope::views {

enum class OccupancyScope : uint8_t {
  Auto,        // the arena, or by kind where the run's tensors lie elsewhere
  Arena,       // the planned arena against its lower bound
  Kinds,       // all memory, by kind
  Allocators,  // by whose spaces it lies in
  Devices,     // by which device's memory it is
  Classes,     // by what it is used for
};

struct OccupancyPicture : Prepared {
  OccupancyScope scope = OccupancyScope::Arena;
  std::vector<Level> live;     // arena: bytes really live
  std::vector<Level> planned;  // arena: bytes the plan has live
  struct Kind {
    trace::MemoryKind kind{};
    uint32_t allocator = 0;      // where the scope is Allocators
    trace::DeviceId device;      // where the scope is Devices
    MemoryClass memory_class{};  // where the scope is Classes
    bool unfilled = false;       // of a cache: what no token was written to yet
    Bytes at_peak = 0;           // its part of the run's peak
    std::vector<Level> levels;   // this kind alone
    std::vector<Level> stacked;  // from the tops of those below to its own: min is the lower edge
  };
  std::vector<Kind> kinds;                   // layers, the lowest first; only those that were ever used
  bool derived = false;                      // arena: from when to when is derived from the plan and the spans
  Bytes needed = 0;                          // what a plan would need, `planned`; 0: that is not shown
  std::vector<Level> reserved;               // of all kinds together
  Bytes arena = 0, bound = 0, capacity = 0;  // 0: unknown
  Bytes peak = 0;                            // of the run that is looked at; the same on either axis
  // The process's resident memory at its highest in the run, and what of it no space accounts for. 0: not sampled.
  Bytes resident = 0, outside = 0;
  Bytes filled = 0;  // of caches, at most; 0: nobody told it
  std::string filled_id;
  double peak_x = 0;  // where it is reached
  Step peak_step;
  std::string peak_id, peak_step_id;  // of the figures: what the peak is of
  std::string peak_name;              // of the node that runs then
  double top = 0;                     // the largest of all that is drawn
  // What is compared with: its live bytes, or those of its plan; of all kinds together where the scope is Kinds.
  std::vector<Level> other;
  Bytes other_arena = 0, other_peak = 0;
  std::string other_peak_id;
  // The plan that this one is held against: its planned bytes.
  std::vector<Level> ghost;
  Bytes ghost_arena = 0;
  std::string ghost_id;

  Bytes gap() const { return arena > bound && bound > 0 ? arena - bound : 0; }
};

// Pure. Without a plan the scope is Kinds, whatever is asked for.
// `with_plan`: what the plan would need, although the run did not use it.
// `curves`: those that were worked out before; null: all are worked out.
std::shared_ptr<const OccupancyPicture> prepare_occupancy(const PrepareInput& input, OccupancyScope scope,
                                                          const std::stop_token& stop, bool with_plan = false,
                                                          PlanCurves* curves = nullptr);
// The value of a curve at x; 0 where there is none.
double value_at(const std::vector<Level>& levels, double x);

}  // namespace arenascope::views
