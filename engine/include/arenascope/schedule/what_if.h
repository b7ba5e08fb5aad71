// SPDX-License-Identifier: MIT
// What to do where the best plan misses a capacity. First what costs nothing when it runs: another planner, ops in
// place, another order, chains of ops as one node. Then which tensors to rematerialise, or to offload to the host,
// between two uses that lie far apart; what that costs; and the graph in which it is done, planned and ready to run.
//
//   live ^      ┌─────┐            x is used at 2 and at 40: between them its bytes are released, and
//        |  ────┘     └────────    either x is rematerialised before 40, or it is copied out of
//        |  xxxxxxxxxxxxxxxxxxx    the arena behind 2 and back into it before 40.
//        +--2------------------40-> steps
#pragma once
#include <string>
#include <vector>

#include <arenascope/schedule/memory_plan.h>
#include <arenascope/transform/fusion.h>

namespace arenascope {

enum class Saving : uint8_t { Rematerialise, Offload, InPlace, Order, Fusion, Planner };
const char* name(Saving method);  // "rematerialise", "offload", "in-place", "order", "fusion", "planner"
// Whether it is one that costs nothing when the graph runs.
inline bool is_free(Saving method) { return method != Saving::Rematerialise && method != Saving::Offload; }

struct MemorySaving {
  Saving method = Saving::Rematerialise;
  std::vector<Saving> with;  // free ones that lower the peak only together with this one
  NodeId node;               // of the given graph; none: it is about the whole graph
  std::string name;          // that node's; the order's, the planner's
  int64_t count = 0;         // ops that work in place, chains that are fused
  Bytes bytes = 0;           // of its tensor: what is released. Free ones: by what the peak falls
  Step from, to;             // the last use before, the next use after, in the order as it stands by then
  int64_t extra_flops = 0;
  Bytes extra_bytes = 0;           // rematerialise: read and written once more; offload: to the host and back
  std::vector<NodeId> recomputed;  // the nodes that run again, in order
  // The most that is live at once before this step, at the step `at`, and what is live there behind it (of a free one:
  // the most that is live then): always less. Where `of_arena`: the arena, its holes included.
  Bytes peak_before = 0, peak_after = 0;
  bool of_arena = false;
  Step at;
};

// "Compute 'x' (1.50 MiB) again before step 40: 2.1 MFLOP and 3.00 MiB more; at step 12 the peak goes from 9.00 MiB to
// 7.50 MiB."
std::string sentence(const MemorySaving& step);

struct WhatIfOptions {
  Bytes capacity = 0;
  bool rematerialise = true, offload = true;  // what may be used
  bool in_place = true, reorder = true;
  const Capabilities* fuse = nullptr;  // whose fused chains may be used; null: none
  FusionOptions fusion;
  size_t most_steps = 10'000;
  // What decides between the two, and which tensors go first: the least time for the bytes that it frees.
  double flops_per_second = 20e9;
  double bytes_per_second = 10e9;      // of the device's memory
  double host_bytes_per_second = 5e9;  // between the device and the host
  std::string planner = "search";
  MemoryPlanOptions plan;  // of the new graph; its capacity is set to the one above
};

struct WhatIf {
  bool fits = false;                // whether the new plan's arena is within the capacity
  std::string why;                  // where it does not: the sentence that says what is in the way
  MemoryPlan before;                // the given graph in the given order
  std::vector<MemorySaving> steps;  // empty where the given plan fits
  int64_t extra_flops = 0;
  Bytes extra_bytes = 0;
  // The graph in which it is done (the given one where no step changes it), to be run in the plan's order; its leafs are
  // the given graph's. Offloaded tensors have Placement::Host: an executor puts them there.
  Graph graph;
  MemoryPlan plan;
  bool in_place = false;      // whether ops may work in place in this plan
  std::vector<Tensor> twins;  // by NodeId of the given graph: what it became; undefined inside of a fused node
};

// Errors: an order that is none, a capacity below one byte, a planner that does not exist, what plan_memory() refuses.
// A stop request (options.plan.planner.stop) ends it with the steps so far.
Result<WhatIf> what_if(const Graph& graph, std::span<const NodeId> order, std::string_view order_name,
                       const WhatIfOptions& options);

}  // namespace arenascope
