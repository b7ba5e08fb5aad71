// SPDX-License-Identifier: MIT
#include "engine/planner/placement.h"
#include <arenascope/planner/lower_bound.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <numeric>

namespace arenascope::planner {

Result<Plan> plan_items(std::string_view name, const Problem& problem, bool in_place,
                        const std::function<Placement(const Items&)>& place) {
  const auto start = std::chrono::steady_clock::now();
  if (Status s = validate(problem); !s) return s.error();
  try {
    Result<Items> items = make_items(problem, in_place);
    if (!items) return items.error();
    Placement placed = place(*items);
    Plan plan;
    plan.planner = name;
    plan.offsets = items->to_intervals(placed.offsets);
    if (!placed.blocks.empty()) {
      plan.blocks.reserve(problem.size());
      plan.reuse_level.reserve(problem.size());
      for (int32_t item : items->item_of) {
        plan.blocks.push_back(placed.blocks[item]);
        plan.reuse_level.push_back(placed.reuse_level[item]);
      }
    }
    for (size_t i = 0; i < problem.size(); ++i) {
      plan.arena_bytes = std::max(plan.arena_bytes, plan.offsets[i] + problem.intervals[i].size);
    }
    plan.lower_bound = lower_bound(problem);
    plan.optimal = plan.arena_bytes == plan.lower_bound;
    plan.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return plan;
  } catch (const std::bad_alloc&) {
    return Error{"There is not enough memory to plan this many buffers."};
  }
}

Bytes arena_of(const Items& items, const std::vector<Bytes>& offsets) {
  Bytes end = 0;
  for (size_t i = 0; i < items.items.size(); ++i) end = std::max(end, offsets[i] + items.items[i].size);
  return end;
}

Bytes common_alignment(Bytes a, Bytes b) {
  Bytes both;
  if (__builtin_mul_overflow(a / std::gcd(a, b), b, &both) || both > (Bytes{1} << 60)) return std::max(a, b);
  return both;
}

Bytes end_of_fixed(const Items& items) {
  Bytes end = 0;
  for (const Item& item : items.items) {
    if (item.fixed >= 0) end = std::max(end, item.fixed + item.size);
  }
  return end;
}

}  // namespace arenascope::planner
