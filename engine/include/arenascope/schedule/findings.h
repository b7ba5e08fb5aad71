// SPDX-License-Identifier: MIT
// Finds possible improvements of a plan and a run. Each memory saving is the difference to a plan that was computed,
// with the same planner unless another planner is the finding. Needs only the recorded description, no model.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <functional>
#include <stop_token>

namespace arenascope {

struct Finding {
  enum class Kind : uint8_t {
    AtPeak,         // tensors: the live tensors at the peak, largest first; bytes: their sum
    Order,          // another order
    Planner,        // another planner on the same order
    InPlaceAll,     // in-place computation of all eligible ops; count: their number
    InPlace,        // tensors[0] is computed in place of tensors[1]
    Alignment,      // a smaller alignment
    Rematerialise,  // tensors are released and rematerialised before their later use; count: steps in between
    Offload,        // the same, but copied to the host and back; bytes: the copied bytes
    Concat,         // the inputs of tensors[0] are aliased into it; bytes: copies avoided
    Contiguous,     // tensors[0] is a copy of a tensor that is already contiguous
    Holes,          // bytes in holes at the worst step; tensors: those above them
    LateThread,     // `track` comes last at `share` of `count` barriers
    Imbalance,      // `share` of the threads' time spent waiting at the barrier after tensors[0]
    CopyAgain,      // tensors[0] is copied between devices `count` times per run
    // For runs whose tensors are in allocator spaces, without a plan:
    SpacesAtPeak,   // slices: the allocations at the peak, largest first; bytes: the sum of all `count` allocations
    Fragmentation,  // reserved bytes that were not allocated, a `share` of the reserved bytes
    Waste,          // padding inside the `count` blocks at the peak; slices: the blocks with most of it
    Packed,         // a plan of the same lifetimes needs `bytes`; saved: compared with the reserved bytes
  };
  Kind kind{};
  Bytes saved = 0;       // arena bytes saved by an actual plan
  Nanoseconds time = 0;  // cost per run, summed over all threads
  Step step;             // the step concerned, or none
  std::vector<trace::TensorRef> tensors;
  Bytes bytes = 0;
  double share = 0;
  int64_t count = 0;
  trace::TrackId track;
  Nanoseconds at = 0;  // time of `slices`
  std::vector<trace::SpaceAllocation> slices;
  std::string planner, order;  // of `plan`
  Bytes alignment = 0;
  std::shared_ptr<const trace::PlanInfo> plan;  // the improved plan; null if nothing was re-planned
};

struct FindingsInput {
  std::shared_ptr<const trace::Snapshot> snapshot;
  std::shared_ptr<const trace::GraphInfo> graph;
  std::shared_ptr<const trace::PlanInfo> plan;
  trace::RunId run;  // may be none
};

struct FindingsOptions {
  double budget_seconds = 8;  // total for re-planning
  std::stop_token stop;
  // Called periodically on the same thread with the ranked findings so far and the completed fraction of the work.
  std::function<void(const std::vector<Finding>&, double done)> progress;
};

// Ranked by bytes saved, then by time; purely informative findings last. Never fails: candidates that cannot be
// evaluated are omitted.
std::vector<Finding> find_savings(const FindingsInput& input, const FindingsOptions& options = {});

}  // namespace arenascope
