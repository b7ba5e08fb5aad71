// SPDX-License-Identifier: MIT
// What to do where the best plan misses a capacity: which tensors to rematerialise, or to offload to the host,
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

namespace arenascope {

enum class Saving : uint8_t { Rematerialise, Offload };
const char* name(Saving method);  // "rematerialise", "offload"

struct MemorySaving {
  Saving method = Saving::Rematerialise;
  NodeId node;       // of the given graph
  std::string name;  // that node's
  Bytes bytes = 0;   // of its tensor: what is released
  Step from, to;     // of the given order: the last use before, the next use after
  int64_t extra_flops = 0;
  Bytes extra_bytes = 0;                  // rematerialise: read and written once more; offload: to the host and back
  std::vector<NodeId> recomputed;         // the nodes that run again, in order
  Bytes peak_before = 0, peak_after = 0;  // the most that is live at once, before and with this step
};

// "Compute 'x' (1.50 MiB) again before step 40: 2.1 MFLOP and 3.00 MiB more; the peak goes from 9.00 MiB to 7.50 MiB."
std::string sentence(const MemorySaving& step);

struct WhatIfOptions {
  Bytes capacity = 0;
  bool rematerialise = true, offload = true;  // what may be used
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
  // The graph in which it is done (the given one where there are no steps), which stands in the order it is to run in;
  // its leafs are the given graph's. Offloaded tensors have Placement::Host: an executor puts them there.
  Graph graph;
  MemoryPlan plan;
  std::vector<Tensor> twins;  // by NodeId of the given graph: what it became
};

// Errors: an order that is none, a capacity below one byte, a planner that does not exist, what plan_memory() refuses.
// A stop request (options.plan.planner.stop) ends it with the steps so far.
Result<WhatIf> what_if(const Graph& graph, std::span<const NodeId> order, std::string_view order_name,
                       const WhatIfOptions& options);

}  // namespace arenascope
