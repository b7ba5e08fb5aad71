// SPDX-License-Identifier: MIT
// Planners that think in blocks: a block is a stretch of the arena that one buffer uses after the other.
#pragma once
#include <arenascope/planner/clock.h>
#include "engine/planner/placement.h"

namespace arenascope::planner {

// Every item gets bytes of its own.
Placement place_apart(const Items& items, const StopCheck& stop_check = {});

// Reuse in order of time: an item takes any free block of its range, and in the end every block shrinks to the largest
// of its users. `ranges` are block sizes in rising order, the last at least as large as every item. With one range
// this is max-block, with several binary-block. Source: the CANN GE article on memory reuse.
Placement place_in_ranges(const Items& items, const std::vector<Bytes>& ranges, const StopCheck& stop_check = {});

// The smallest size doubled until it reaches the largest, without ranges that no item falls into.
std::vector<Bytes> binary_ranges(const Items& items, const StopCheck& stop_check = {});

// GE's two-level reuse. Level 1: items of equal size with disjoint lifetimes form a block. Level 2: blocks from large
// to small; each absorbs all smaller ones whose lifetimes fit before or after its contents.
Placement place_two_level(const Items& items);
// The same, or an empty placement once `stop` returns true.
Placement place_two_level(const Items& items, const std::function<bool()>& stop, const StopCheck& stop_check = {});

// Allocating and freeing in order of time: the smallest free hole that is large enough, the open end only if there
// is none; neighbouring holes join. Source: ggml's graph allocator.
Placement place_online_best_fit(const Items& items, const StopCheck& stop_check = {});

}  // namespace arenascope::planner
