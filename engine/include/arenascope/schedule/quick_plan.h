// SPDX-License-Identifier: MIT
// A memory plan in one pass over a graph, for when planning must cost nothing: nodes in the order in which they were
// collected, each placed in the smallest free piece that holds it, pieces given back at a tensor's last use and
// merged with their neighbours (ggml's graph allocator plans like this). Planners do better; this one takes
// nanoseconds a node.
#pragma once
#include <arenascope/schedule/memory_plan.h>

namespace arenascope {

// Tensors by first step, as plan_memory() makes them with the order "depth-first"; no blocks and levels. The lower
// bound is the most bytes that live at once. Error: no memory left.
Result<MemoryPlan> quick_plan(const Graph& graph, Bytes alignment = 64, bool keep_outputs = true);

// Gives each tensor of the plan its slice of the arena, and views their source's. Errors: an arena that is too small.
Status bind_plan(const Graph& graph, const MemoryPlan& plan, const Storage& arena);

}  // namespace arenascope
