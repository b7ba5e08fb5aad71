// SPDX-License-Identifier: MIT
// The planners that people know, each under its name. All but `search` are one pass over the items.
#include <arenascope/planner/block_steps.h>
#include "engine/planner/blocks.h"
#include "engine/planner/fit_allocator.h"
#include "engine/planner/placement.h"

#include <algorithm>

namespace arenascope::planner {
namespace {

using Place = Placement (*)(const Items&);

class OnePass final : public Planner {
 public:
  OnePass(std::string_view name, std::string_view description, Place place)
      : name_(name), description_(description), place_(place) {}
  std::string_view name() const override { return name_; }
  std::string_view description() const override { return description_; }
  Result<Plan> plan(const Problem& problem, const Options&) const override {
    return plan_items(name_, problem, true, place_);
  }

 private:
  std::string_view name_, description_;
  Place place_;
};

template <Key key, Fit fit>
Placement fit_by(const Items& items) {
  return {FitAllocator(items).place_all(order_by(items, key), fit), {}, {}};
}

std::vector<Bytes> largest_range(const Items& items) {
  Bytes largest = 0;
  for (const Item& item : items.items) largest = std::max(largest, item.size);
  return {largest};
}

Placement place_max_block(const Items& items) { return place_in_ranges(items, largest_range(items)); }

Placement place_binary_block(const Items& items) { return place_in_ranges(items, binary_ranges(items)); }

// The smallest of several.
Placement place_hybrid(const Items& items) {
  Placement best;
  Bytes least = 0;
  for (const Place place : {place_two_level, place_max_block, place_binary_block, fit_by<Key::size, Fit::best>}) {
    Placement next = place(items);
    const Bytes arena = arena_of(items, next.offsets);
    if (best.offsets.empty() || arena < least) {
      best = std::move(next);
      least = arena;
    }
  }
  return best;
}

// Both of XLA's orders, by size and by length of life; the smaller arena counts.
Placement place_decreasing_size(const Items& items) {
  Placement spatial = fit_by<Key::size, Fit::best>(items), temporal = fit_by<Key::length, Fit::best>(items);
  return arena_of(items, temporal.offsets) < arena_of(items, spatial.offsets) ? temporal : spatial;
}

// The blocks of a placement in ranges.
void describe_blocks(const Items& items, const Placement& placed, BlockSteps& steps) {
  steps.block_of.assign(items.item_of.size(), BlockId());
  for (size_t i = 0; i < items.item_of.size(); ++i)
    steps.block_of[i] = placed.blocks[static_cast<size_t>(items.item_of[i])];
  for (const int32_t item : order_by(items, Key::begin)) {
    const BlockId block = placed.blocks[static_cast<size_t>(item)];
    if (!block.valid()) continue;
    if (block.index() >= steps.blocks.size()) steps.blocks.resize(block.index() + 1);
    RangeBlock& opened = steps.blocks[block.index()];
    const Bytes size = items.items[static_cast<size_t>(item)].size;
    opened.range = *std::ranges::lower_bound(steps.ranges, size);
    opened.size = std::max(opened.size, size);
    opened.offset = placed.offsets[static_cast<size_t>(item)];
    for (size_t i = 0; i < items.item_of.size(); ++i) {
      if (items.item_of[i] != item) continue;
      opened.intervals.push_back(static_cast<int32_t>(i));
      steps.intervals.push_back(static_cast<int32_t>(i));
    }
  }
}

}  // namespace

Result<BlockSteps> block_steps(const Problem& problem, bool doubling) {
  BlockSteps steps;
  auto plan = plan_items(doubling ? "binary-block" : "max-block", problem, false, [&](const Items& items) {
    steps.ranges = doubling ? binary_ranges(items) : largest_range(items);
    Placement placed = place_in_ranges(items, steps.ranges);
    describe_blocks(items, placed, steps);
    return placed;
  });
  if (!plan) return plan.error();
  steps.arena_bytes = plan->arena_bytes;
  return steps;
}

const Planner& no_reuse() {
  static const OnePass p("none", "No reuse: every buffer has bytes of its own.",
                         [](const Items& items) { return place_apart(items); });
  return p;
}
const Planner& max_block() {
  static const OnePass p("max-block", "CANN's max-block: blocks of one size, reused in order of time.",
                         place_max_block);
  return p;
}
const Planner& binary_block() {
  static const OnePass p("binary-block", "CANN's binary-block: blocks by doubling ranges of size.", place_binary_block);
  return p;
}
const Planner& two_level() {
  static const OnePass p("two-level", "CANN GE's two levels: equal sizes first, then smaller blocks into larger ones.",
                         place_two_level);
  return p;
}
const Planner& online_best_fit() {
  static const OnePass p("best-fit-online", "ggml's: allocates and frees in order of time, into the tightest hole.",
                         [](const Items& items) { return place_online_best_fit(items); });
  return p;
}
const Planner& greedy_by_size() {
  static const OnePass p("greedy-by-size", "TFLite's: from large to small, each into the tightest hole.",
                         fit_by<Key::size, Fit::best>);
  return p;
}
const Planner& first_fit_by_time() {
  static const OnePass p("first-fit-by-time", "In order of time, each at the lowest free offset.",
                         fit_by<Key::begin, Fit::first>);
  return p;
}
const Planner& first_fit_by_size() {
  static const OnePass p("first-fit-by-size", "From large to small, each at the lowest free offset.",
                         fit_by<Key::size, Fit::first>);
  return p;
}
const Planner& first_fit_by_area() {
  static const OnePass p("first-fit-by-area", "By size times lifetime, each at the lowest free offset.",
                         fit_by<Key::area, Fit::first>);
  return p;
}
const Planner& first_fit_by_length() {
  static const OnePass p("first-fit-by-length", "From long-lived to short-lived, each at the lowest free offset.",
                         fit_by<Key::length, Fit::first>);
  return p;
}
const Planner& best_fit_by_time() {
  static const OnePass p("best-fit-by-time", "In order of time, each into the tightest hole.",
                         fit_by<Key::begin, Fit::best>);
  return p;
}
const Planner& best_fit_by_area() {
  static const OnePass p("best-fit-by-area", "By size times lifetime, each into the tightest hole.",
                         fit_by<Key::area, Fit::best>);
  return p;
}
const Planner& decreasing_size_best_fit() {
  static const OnePass p("global-decreasing-size-best-fit",
                         "XLA's: the better of by-size and by-lifetime, each into the tightest hole.",
                         place_decreasing_size);
  return p;
}
const Planner& hybrid() {
  static const OnePass p("hybrid", "The smallest of two-level, max-block, binary-block and greedy-by-size.",
                         place_hybrid);
  return p;
}

}  // namespace arenascope::planner
