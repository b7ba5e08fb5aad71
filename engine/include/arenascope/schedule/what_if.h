// SPDX-License-Identifier: MIT
// Fits a graph into a capacity that its best plan exceeds. Methods without run-time cost are tried first: another
// planner, in-place ops, another order, fused chains of ops. Then tensors are selected to be rematerialised, or
// offloaded to the host, between two distant uses. The result is the cost and the transformed graph, planned and ready
// to run.
//
//   live ^      ┌─────┐            x is used at 2 and at 40: between them its bytes are released, and
//        |  ────┘     └────────    either x is rematerialised before 40, or it is copied out of
//        |  xxxxxxxxxxxxxxxxxxx    the arena after 2 and back into it before 40.
//        +--2------------------40-> steps
#pragma once
#include <string>
#include <vector>

#include <arenascope/schedule/memory_plan.h>
#include <arenascope/transform/fusion.h>

namespace arenascope {

enum class Saving : uint8_t { Rematerialise, Offload, InPlace, Order, Fusion, Planner };
const char* name(Saving method);  // "rematerialise", "offload", "in-place", "order", "fusion", "planner"
// True if the method has no cost at run time.
inline bool is_free(Saving method) { return method != Saving::Rematerialise && method != Saving::Offload; }

struct MemorySaving {
  Saving method = Saving::Rematerialise;
  std::vector<Saving> with;  // free methods that lower the peak only in combination with this one
  NodeId node;               // of the given graph; none: applies to the whole graph
  std::string name;          // of the node, the order or the planner
  int64_t count = 0;         // in-place ops or fused chains
  Bytes bytes = 0;           // size of the released tensor; for free methods the reduction of the peak
  Step from, to;             // last use before and next use after the gap, in the order at this point
  int64_t extra_flops = 0;
  Bytes extra_bytes = 0;           // rematerialise: read and written once more; offload: to the host and back
  std::vector<NodeId> recomputed;  // the nodes that run again, in order
  // The peak of live bytes before this saving, at the step `at`, and the live bytes at that step after it (for free
  // methods: the new peak); always lower. If `of_arena`, both are arena sizes including holes.
  Bytes peak_before = 0, peak_after = 0;
  bool of_arena = false;
  Step at;
};

// "Rematerialise 'x' (1.50 MiB) before step 40: 2.1 MFLOP and 3.00 MiB more; at step 12 the peak drops from 9.00 MiB to
// 7.50 MiB."
std::string sentence(const MemorySaving& step);

struct WhatIfOptions {
  Bytes capacity = 0;
  bool rematerialise = true, offload = true;  // permitted methods
  bool in_place = true, reorder = true;
  const Capabilities* fuse = nullptr;  // backend whose fused chains may be used; null: no fusion
  FusionOptions fusion;
  size_t max_steps = 10'000;
  // Cost model for choosing between rematerialising and offloading, and for the order of tensors: least time per freed
  // byte.
  double flops_per_second = 20e9;
  double bytes_per_second = 10e9;      // of the device's memory
  double host_bytes_per_second = 5e9;  // between the device and the host
  std::string planner = "search";
  MemoryPlanOptions plan;  // of the new graph; its capacity is set to the one above
};

struct WhatIf {
  bool fits = false;                // true if the arena of the new plan is within the capacity
  std::string why;                  // if it does not fit: the reason
  MemoryPlan before;                // the given graph in the given order
  std::vector<MemorySaving> steps;  // empty if the given plan fits
  int64_t extra_flops = 0;
  Bytes extra_bytes = 0;
  // The transformed graph (the given one if no step changes it), to be run in the plan's order; it shares the leafs of
  // the given graph. Offloaded tensors have Placement::Host, which the executor applies.
  Graph graph;
  MemoryPlan plan;
  bool in_place = false;         // true if this plan has in-place ops enabled
  std::vector<Tensor> node_map;  // by NodeId of the given graph: the corresponding node; undefined inside a fused node
};

// A stop request (options.plan.planner.stop) returns the steps so far. Errors: an invalid order, a capacity below one
// byte, an unknown planner, an error of plan_memory().
Result<WhatIf> what_if(const Graph& graph, std::span<const NodeId> order, std::string_view order_name,
                       const WhatIfOptions& options);

}  // namespace arenascope
