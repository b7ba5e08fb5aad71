// SPDX-License-Identifier: MIT
// Shared by the planners: converts a problem to items, and placed items to a plan with its figures.
#pragma once
#include <arenascope/base/round_up.h>
#include <arenascope/planner/planner.h>
#include "engine/planner/items.h"

#include <functional>

namespace arenascope::planner {

// Offsets of the items; blocks and reuse_level as in Plan, one per item, or empty.
struct Placement {
  std::vector<Bytes> offsets;
  std::vector<BlockId> blocks;
  std::vector<uint8_t> reuse_level;
};

// Validates, makes items (optionally merging in-place pairs), places them, and fills a plan with arena, bound and time.
Result<Plan> plan_items(std::string_view name, const Problem& problem, bool in_place,
                        const std::function<Placement(const Items&)>& place);

// The end of the highest item.
Bytes arena_of(const Items& items, const std::vector<Bytes>& offsets);

// A multiple of both; both stay far below 2^60, or the larger of them serves.
Bytes common_alignment(Bytes a, Bytes b);

// The end of the highest item with a fixed offset. Planners without a notion of fixed offsets start above it.
Bytes end_of_fixed(const Items& items);

}  // namespace arenascope::planner
