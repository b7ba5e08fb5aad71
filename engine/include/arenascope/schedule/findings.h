// SPDX-License-Identifier: MIT
// What could be better about a plan and a run, found by trying it: each saving of memory is the difference to a plan
// that was really made, with the same planner unless another planner is the finding. Needs a description only, so a
// recording from elsewhere gets the same answers as the model at hand.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <functional>
#include <stop_token>

namespace arenascope {

struct Finding {
  enum class Kind : uint8_t {
    AtPeak,         // tensors: who is live at the peak, the largest first; bytes: all of them together
    Order,          // another order
    Planner,        // another planner on the same order
    InPlaceAll,     // every op that may take over a source's bytes does; count: how many of them
    InPlace,        // tensors[0] takes over the bytes of tensors[1]
    Alignment,      // a smaller one
    Rematerialise,  // tensors are released and rematerialised before their later use; count: steps in between
    Offload,        // the same, but copied out and back; bytes: what is copied
    Concat,         // the sources of tensors[0] are computed where it joins them; bytes: what is not copied any more
    Contiguous,     // tensors[0] copies what lies in order already
    Holes,          // bytes in holes at the worst step; tensors: who lies above them
    LateThread,     // `track` comes last at `share` of `count` barriers
    Imbalance,      // behind tensors[0] the threads wait a `share` of their time
    CopyAgain,      // tensors[0] is copied between devices `count` times a run
    // Where tensors lie in spaces of allocators, and no plan was used:
    SpacesAtPeak,   // slices: what is handed out at the peak, the largest first; bytes: all `count` of them together
    Fragmentation,  // bytes that spaces held at once and nobody used, a `share` of what they held
    Waste,          // bytes inside of the `count` blocks at the peak that nobody asked for; slices: who has most of it
    Packed,         // a plan of the same lifetimes needs `bytes`; saved: of what the spaces held
  };
  Kind kind{};
  Bytes saved = 0;       // of the arena; by a plan that was made
  Nanoseconds time = 0;  // a run, all threads together; for what costs time
  Step step;             // where to look; none: nowhere in particular
  std::vector<trace::TensorRef> tensors;
  Bytes bytes = 0;
  double share = 0;
  int64_t count = 0;
  trace::TrackId track;
  Nanoseconds at = 0;  // the moment that `slices` are of
  std::vector<trace::SpaceSlice> slices;
  std::string planner, order;  // of `plan`
  Bytes alignment = 0;
  std::shared_ptr<const trace::PlanInfo> plan;  // what would be; null where nothing is replanned
};

struct FindingsInput {
  std::shared_ptr<const trace::Snapshot> snapshot;
  std::shared_ptr<const trace::GraphInfo> graph;
  std::shared_ptr<const trace::PlanInfo> plan;
  trace::RunId run;  // may be none
};

struct FindingsOptions {
  double budget_seconds = 8;  // for all replanning together
  std::stop_token stop;
  // Called now and then from the same thread with what was found so far, ranked, and the part of the work done.
  std::function<void(const std::vector<Finding>&, double done)> progress;
};

// Ranked: by bytes saved, then by time, then what only tells. Never fails: what cannot be tried is left out.
std::vector<Finding> find_savings(const FindingsInput& input, const FindingsOptions& options = {});

}  // namespace arenascope
