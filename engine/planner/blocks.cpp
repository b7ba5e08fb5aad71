// SPDX-License-Identifier: MIT
#include "engine/planner/blocks.h"
#include "engine/planner/fit_allocator.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

namespace arenascope::planner {
namespace {

struct StackedBlock {
  Bytes size = 0;
  Bytes alignment = 1;
};

// Blocks one after the other, above everything with a fixed offset, which keeps its offset.
void stack(const Items& items, const std::vector<StackedBlock>& blocks, Placement& out) {
  Bytes at = end_of_fixed(items);
  std::vector<Bytes> base(blocks.size());
  for (size_t b = 0; b < blocks.size(); ++b) {
    base[b] = round_up(at, blocks[b].alignment);
    at = base[b] + blocks[b].size;
  }
  for (size_t i = 0; i < items.items.size(); ++i) {
    out.offsets[i] = out.blocks[i].valid() ? base[out.blocks[i].index()] : items.items[i].fixed;
  }
}

Placement empty_placement(const Items& items) {
  const size_t n = items.items.size();
  return {std::vector<Bytes>(n, 0), std::vector<BlockId>(n), std::vector<uint8_t>(n, 0)};
}

}  // namespace

Placement place_apart(const Items& items, const StopCheck& stop_check) {
  Placement out = empty_placement(items);
  std::vector<StackedBlock> blocks;
  for (size_t i = 0; i < items.items.size(); ++i) {
    stop_check();
    if (items.items[i].fixed >= 0) continue;
    out.blocks[i] = BlockId(blocks.size());
    blocks.push_back({items.items[i].size, items.items[i].alignment});
  }
  stack(items, blocks, out);
  return out;
}

std::vector<Bytes> binary_ranges(const Items& items, const StopCheck& stop_check) {
  std::vector<Bytes> sizes;
  for (const Item& item : items.items) sizes.push_back(item.size);
  std::sort(sizes.begin(), sizes.end(), [&](Bytes a, Bytes b) {
    stop_check();
    return a < b;
  });
  std::vector<Bytes> ranges;
  if (sizes.empty()) return ranges;
  Bytes ceiling = sizes.front();
  size_t next = 0;
  while (next < sizes.size()) {
    ceiling = std::min(2 * ceiling, sizes.back());
    const size_t begin = next;
    while (next < sizes.size() && sizes[next] <= ceiling) ++next;
    if (next > begin) ranges.push_back(ceiling);
  }
  return ranges;
}

Placement place_in_ranges(const Items& items, const std::vector<Bytes>& ranges, const StopCheck& stop_check) {
  Placement out = empty_placement(items);
  std::vector<StackedBlock> blocks;
  struct Busy {
    int64_t until;
    int32_t block;
    bool operator>(const Busy& o) const { return std::tie(until, block) > std::tie(o.until, o.block); }
  };
  using Least = std::greater<>;
  // For each range: blocks in use by the time at which they become free, and free ones by number.
  std::vector<std::priority_queue<Busy, std::vector<Busy>, Least>> busy(ranges.size());
  std::vector<std::priority_queue<int32_t, std::vector<int32_t>, Least>> free(ranges.size());
  for (int32_t i : order_by(items, Key::begin, stop_check)) {
    stop_check();
    const Item& item = items.items[i];
    if (item.fixed >= 0) continue;
    const auto range = static_cast<size_t>(std::lower_bound(ranges.begin(), ranges.end(), item.size) - ranges.begin());
    while (!busy[range].empty() && busy[range].top().until <= item.lower) {
      free[range].push(busy[range].top().block);
      busy[range].pop();
    }
    int32_t block = static_cast<int32_t>(blocks.size());
    if (free[range].empty()) {
      blocks.push_back({});
    } else {
      block = free[range].top();
      free[range].pop();
      out.reuse_level[i] = 1;
    }
    blocks[block].size = std::max(blocks[block].size, item.size);
    blocks[block].alignment = common_alignment(blocks[block].alignment, item.alignment);
    out.blocks[i] = BlockId(block);
    busy[range].push({item.upper, block});
  }
  stack(items, blocks, out);
  return out;
}

namespace {

// Free ranges below the open end, which are never adjacent; indexed by offset and by size.
class Holes {
 public:
  explicit Holes(Bytes end) : end_(end) {}

  Bytes take(Bytes size, Bytes alignment) {
    // From the tightest up; only an unlucky alignment makes one that is large enough unfit.
    for (auto h = by_size_.lower_bound({size, 0}); h != by_size_.end(); ++h) {
      const Bytes from = h->second, to = from + h->first, at = round_up(from, alignment);
      if (at + size > to) continue;
      erase(from, to);
      if (at > from) insert(from, at);
      if (at + size < to) insert(at + size, to);
      return at;
    }
    const Bytes at = round_up(end_, alignment);
    if (at > end_) insert(end_, at);
    end_ = at + size;
    return at;
  }

  void give_back(Bytes from, Bytes to) {
    const auto above = by_place_.lower_bound(from);
    if (above != by_place_.begin()) {
      const auto below = std::prev(above);
      if (below->second == from) {
        const Bytes begin = below->first;
        erase(begin, from);
        from = begin;
      }
    }
    if (const auto next = by_place_.find(to); next != by_place_.end()) {
      const Bytes end = next->second;
      erase(to, end);
      to = end;
    }
    if (to == end_) {
      end_ = from;
    } else {
      insert(from, to);
    }
  }

 private:
  void insert(Bytes from, Bytes to) {
    by_place_.emplace(from, to);
    by_size_.emplace(to - from, from);
  }
  void erase(Bytes from, Bytes to) {
    by_place_.erase(from);
    by_size_.erase({to - from, from});
  }

  std::map<Bytes, Bytes> by_place_;            // start to end
  std::set<std::pair<Bytes, Bytes>> by_size_;  // size and start
  Bytes end_;
};

}  // namespace

Placement place_online_best_fit(const Items& items, const StopCheck& stop_check) {
  const std::vector<int32_t> order = order_by(items, Key::begin, stop_check),
                             by_end = order_by(items, Key::end, stop_check);
  Placement out;
  out.offsets.assign(items.items.size(), 0);
  Holes holes(end_of_fixed(items));
  size_t next_end = 0;
  for (int32_t i : order) {
    stop_check();
    const Item& item = items.items[i];
    if (item.fixed >= 0) {
      out.offsets[i] = item.fixed;
      continue;
    }
    for (; items.items[by_end[next_end]].upper <= item.lower; ++next_end) {
      const int32_t gone = by_end[next_end];
      if (items.items[gone].fixed < 0) holes.give_back(out.offsets[gone], out.offsets[gone] + items.items[gone].size);
    }
    out.offsets[i] = holes.take(item.size, item.alignment);
  }
  return out;
}

}  // namespace arenascope::planner
