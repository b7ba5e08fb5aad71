// SPDX-License-Identifier: MIT
#include <arenascope/planner/reuse_steps.h>
#include "engine/planner/blocks.h"
#include "engine/planner/fit_allocator.h"

#include <algorithm>
#include <map>

namespace arenascope::planner {
namespace {

struct Block {
  Bytes size = 0;
  Bytes alignment = 1;
  std::vector<int32_t> members;  // in order of time, lifetimes disjoint
  Bytes offset = -1;             // in the block that holds it
  int32_t holder = -1;           // itself for a block at the top level
};

// A part of a block that is in use during some steps.
struct Taken {
  int64_t upper;
  Bytes lo, hi;
};

// Contents of a block by first step. The longest lifetime bounds how far back a query must look.
struct Contents {
  std::multimap<int64_t, Taken> by_begin;
  int64_t longest = 0;

  void add(const Item& item, Bytes lo, Bytes hi) {
    by_begin.emplace(item.lower, Taken{item.upper, lo, hi});
    longest = std::max(longest, item.upper - item.lower);
  }
};

// True if two blocks are ever live together; both in time order.
bool meet(const Items& items, const Block& a, const Block& b) {
  const std::vector<int32_t>&few = a.members.size() < b.members.size() ? a.members : b.members,
        &many = &few == &a.members ? b.members : a.members;
  for (int32_t i : few) {
    const Item& item = items.items[i];
    // The first of the many that ends after this one begins.
    const auto at =
        std::partition_point(many.begin(), many.end(), [&](int32_t k) { return items.items[k].upper <= item.lower; });
    if (at != many.end() && items.items[*at].lower < item.upper) return true;
  }
  return false;
}

std::vector<Block> level_one(const Items& items, Placement& out, const StopCheck& stop_check) {
  std::vector<Block> blocks;
  std::map<std::pair<Bytes, Bytes>, std::multimap<int64_t, int32_t>> by_end;  // (size, alignment) -> end -> block
  for (int32_t i : order_by(items, Key::begin, stop_check)) {
    stop_check();
    const Item& item = items.items[i];
    if (item.fixed >= 0) continue;
    auto& ends = by_end[{item.size, item.alignment}];
    auto at = ends.upper_bound(item.lower);
    int32_t b = static_cast<int32_t>(blocks.size());
    if (at == ends.begin()) {
      blocks.push_back({item.size, item.alignment, {}, -1, -1});
    } else {
      --at;  // the one that became free last
      b = at->second;
      ends.erase(at);
      out.reuse_level[i] = 1;
    }
    blocks[b].members.push_back(i);
    ends.emplace(item.upper, b);
  }
  return blocks;
}

// The lowest offset inside the holder at which no content is in the way, or -1.
Bytes find_offset(const Items& items, const Contents& contents, const Block& holder, const Block& b,
                  std::vector<std::pair<Bytes, Bytes>>& taken) {
  taken.clear();
  for (int32_t i : b.members) {
    const Item& item = items.items[i];
    for (auto at = contents.by_begin.lower_bound(item.lower - contents.longest);
         at != contents.by_begin.end() && at->first < item.upper; ++at) {
      if (at->second.upper <= item.lower) continue;
      if (at->second.lo == 0 && at->second.hi == holder.size) return -1;
      taken.emplace_back(at->second.lo, at->second.hi);
    }
  }
  std::sort(taken.begin(), taken.end());
  Bytes at = 0;
  for (const auto& [lo, hi] : taken) {
    if (lo >= at + b.size) break;
    if (hi > at) at = round_up(hi, b.alignment);
  }
  return at + b.size <= holder.size ? at : -1;
}

// Records a placement while it is made; `steps` may be null.
class Story {
 public:
  Story(const Items& items, ReuseSteps* steps) : steps_(steps) {
    if (!steps) return;
    interval_of_.assign(items.items.size(), -1);
    for (size_t i = items.item_of.size(); i-- > 0;)
      interval_of_[static_cast<size_t>(items.item_of[i])] = static_cast<int32_t>(i);
  }
  void blocks(const Items& items, const std::vector<Block>& sorted) {
    if (!steps_) return;
    for (const Block& b : sorted) {
      ReuseBlock& out = steps_->blocks.emplace_back();
      out.size = b.size;
      out.lower = items.items[b.members.front()].lower;
      out.upper = items.items[b.members.back()].upper;
      for (const int32_t i : b.members) out.intervals.push_back(interval_of_[static_cast<size_t>(i)]);
      steps_->intervals += static_cast<int64_t>(b.members.size());
      steps_->joined += static_cast<int64_t>(b.members.size()) - 1;
    }
  }
  void holder(int32_t block) {
    if (!steps_) return;
    first_ = steps_->moves.size();
    move(block, block, ReuseMove::Outcome::Holds, 0);
  }
  void move(int32_t block, int32_t holder, ReuseMove::Outcome outcome, Bytes offset) {
    if (!steps_) return;
    steps_->merged += outcome == ReuseMove::Outcome::Merges ? 1 : 0;
    if (steps_->moves.size() < ReuseSteps::kMaxMoves) steps_->moves.push_back({block, holder, outcome, offset, 0});
  }
  // The holder is full: its offset and its end.
  void settle(Bytes base, Bytes end) {
    if (!steps_) return;
    if (first_ < steps_->moves.size()) steps_->moves[first_].offset = base;
    for (size_t i = first_; i < steps_->moves.size(); ++i) steps_->moves[i].arena_bytes = end;
  }

 private:
  ReuseSteps* steps_;
  size_t first_ = 0;                  // the holder's move
  std::vector<int32_t> interval_of_;  // per item: its first interval
};

Placement place_and_report(const Items& items, const std::function<bool()>& stop, const StopCheck& stop_check,
                           ReuseSteps* steps) {
  const size_t n = items.items.size();
  Placement out{std::vector<Bytes>(n, 0), std::vector<BlockId>(n), std::vector<uint8_t>(n, 0)};
  std::vector<Block> blocks = level_one(items, out, stop_check);
  std::stable_sort(blocks.begin(), blocks.end(), [&](const Block& a, const Block& b) {
    stop_check();
    return a.size > b.size;
  });
  Story story(items, steps);
  story.blocks(items, blocks);
  std::vector<int32_t> waiting(blocks.size());
  for (size_t b = 0; b < blocks.size(); ++b) waiting[b] = static_cast<int32_t>(b);
  Bytes at = end_of_fixed(items);
  std::vector<std::pair<Bytes, Bytes>> taken;
  int32_t holders = 0;
  while (!waiting.empty()) {
    if (stop()) return {};
    Block& holder = blocks[waiting.front()];
    holder.holder = holders++;
    Bytes alignment = holder.alignment;
    story.holder(waiting.front());
    Contents contents;
    std::vector<int32_t> held, left;
    for (size_t w = 1; w < waiting.size(); ++w) {
      if ((w & 255) == 0 && stop()) return {};
      Block& b = blocks[waiting[w]];
      const bool meets = meet(items, holder, b);
      const Bytes offset = meets ? -1 : find_offset(items, contents, holder, b, taken);
      stop_check();
      using Outcome = ReuseMove::Outcome;
      story.move(waiting[w], waiting.front(),
                 meets        ? Outcome::Meets
                 : offset < 0 ? Outcome::NoPlace
                              : Outcome::Merges,
                 std::max<Bytes>(offset, 0));
      if (offset < 0) {
        left.push_back(waiting[w]);
        continue;
      }
      b.holder = holder.holder;
      b.offset = offset;
      alignment = common_alignment(alignment, b.alignment);
      for (int32_t i : b.members) contents.add(items.items[i], offset, offset + b.size);
      held.push_back(waiting[w]);
    }
    const Bytes base = round_up(at, alignment);
    story.settle(base, base + holder.size);
    for (int32_t i : holder.members) out.offsets[i] = base;
    for (int32_t h : held) {
      for (int32_t i : blocks[h].members) out.offsets[i] = base + blocks[h].offset;
      for (int32_t i : blocks[h].members) out.reuse_level[i] = out.reuse_level[i] == 1 ? 1 : 2;
    }
    held.push_back(waiting.front());
    for (int32_t h : held) {
      for (int32_t i : blocks[h].members) out.blocks[i] = BlockId(holder.holder);
    }
    at = base + holder.size;
    waiting = std::move(left);
  }
  for (size_t i = 0; i < n; ++i) {
    if (items.items[i].fixed >= 0) out.offsets[i] = items.items[i].fixed;
  }
  return out;
}

}  // namespace

Placement place_two_level(const Items& items) {
  return place_and_report(
      items, [] { return false; }, {}, nullptr);
}

Placement place_two_level(const Items& items, const std::function<bool()>& stop, const StopCheck& stop_check) {
  return place_and_report(items, stop, stop_check, nullptr);
}

const char* name(ReuseMove::Outcome outcome) {
  switch (outcome) {
    case ReuseMove::Outcome::Holds: return "holds";
    case ReuseMove::Outcome::Merges: return "merges";
    case ReuseMove::Outcome::Meets: return "meets";
    case ReuseMove::Outcome::NoPlace: return "no place";
  }
  return "?";
}

Result<ReuseSteps> reuse_steps(const Problem& problem) {
  ReuseSteps steps;
  auto plan = plan_items("two-level", problem, true, [&](const Items& items) {
    return place_and_report(
        items, [] { return false; }, {}, &steps);
  });
  if (!plan) return plan.error();
  steps.arena_bytes = plan->arena_bytes;
  return steps;
}

}  // namespace arenascope::planner
