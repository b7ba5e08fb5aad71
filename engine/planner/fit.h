// SPDX-License-Identifier: MIT
// Lays one item after the other into the arena, each at the lowest offset (first fit) or into the tightest hole
// (best fit) that is free during its whole lifetime.
#pragma once
#include <arenascope/planner/items.h>

#include <functional>

namespace arenascope::planner {

enum class Fit { first, best };

// Remembers what was placed in bins over time: a piece of length 2^k lies in the one or two bins of width 2^k that it
// touches, so a query looks at few bins of each width, and long pieces are not repeated all over the axis.
class Placer {
 public:
  explicit Placer(const Items& items);

  // Takes everything out again.
  void clear();
  // Chooses an offset for an item that is not placed yet, and puts it there.
  Bytes place(int32_t item, Fit fit);
  // Puts an item at a given offset, whether free or not.
  void put(int32_t item, Bytes offset);
  // All items in this order; those with fixed offsets go first.
  std::vector<Bytes> place_all(const std::vector<int32_t>& order, Fit fit);
  // The same, or nothing once `stop` says so.
  std::optional<std::vector<Bytes>> place_all(const std::vector<int32_t>& order, Fit fit,
                                              const std::function<bool()>& stop);

 private:
  struct Entry {
    int32_t lower, upper;  // ranks of steps
    int32_t next;
    Bytes lo, hi;
  };
  struct Range {
    Bytes from, to;  // offsets from `from` on are taken, up to `to`
  };

  void collect(int32_t piece, Bytes lo, Bytes hi);

  const Items& items_;
  std::vector<int32_t> lower_, upper_;  // of each piece, as ranks
  std::vector<size_t> level_;           // where each level's bins start in heads_
  std::vector<int32_t> heads_;
  std::vector<Entry> entries_;
  std::vector<int32_t> used_heads_;
  std::vector<Range> taken_;
};

// Orders of items for place_all, ties broken by what the items are rather than by where they stand in the input.
enum class Key { size, area, length, begin, end };
std::vector<int32_t> order_by(const Items& items, Key key);

}  // namespace arenascope::planner
