// SPDX-License-Identifier: MIT
// Greedy memory planning in one pass over a graph, for negligible planning time (nanoseconds per node). Nodes are
// visited in the order in which they were collected. Each is placed in the smallest free range that holds it (best
// fit); ranges are freed at a tensor's last use and merged with their neighbours, as in ggml's graph allocator. Other
// planners find smaller plans.
#pragma once
#include <arenascope/schedule/memory_plan.h>

namespace arenascope {

// Tensors by first step, as from plan_memory() with the order "depth-first", but without blocks and levels. The lower
// bound is the peak of live bytes. Error: out of memory.
Result<MemoryPlan> quick_plan(const Graph& graph, Bytes alignment = 64, bool keep_outputs = true);

// Binds each tensor of the plan to its slice of the arena, and views to that of their source. Error: the arena is too
// small.
Status bind_plan(const Graph& graph, const MemoryPlan& plan, const Storage& arena);

}  // namespace arenascope
