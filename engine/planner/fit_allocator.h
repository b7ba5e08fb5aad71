// SPDX-License-Identifier: MIT
// Lays one item after the other into the arena, each at the lowest offset (first fit) or into the tightest hole
// (best fit) that is free during its whole lifetime.
#pragma once
#include <arenascope/planner/clock.h>
#include "engine/planner/items.h"

#include <functional>

namespace arenascope::planner {

enum class Fit { first, best };

// Tracks used bytes in a forest of segment trees over sections of time. A node holds ranges of bytes
// that are used in some of its sections (`any`) and those used by pieces that span all of it (`all`), merged
// where they are adjacent. A query visits `any` of the O(log n) nodes that cover its lifetime and `all` of their
// ancestors, and jumps from range to range: packings are dense, so these lists are short however many items they represent.
class FitAllocator {
 public:
  explicit FitAllocator(const Items& items, const StopCheck& stop_check = {});

  // Takes everything out again.
  void clear();
  // Chooses an offset for an item that is not placed yet, and puts it there.
  Bytes place(int32_t item, Fit fit);
  // Puts an item at a given offset, whether free or not.
  void put(int32_t item, Bytes offset);
  // All items in this order; those with fixed offsets go first.
  std::vector<Bytes> place_all(const std::vector<int32_t>& order, Fit fit);
  // The same, or nothing once `stop` returns true.
  std::optional<std::vector<Bytes>> place_all(const std::vector<int32_t>& order, Fit fit,
                                              const std::function<bool()>& stop);

 private:
  struct Range {
    Bytes from, to;  // bytes [from, to)
  };
  using Ranges = std::vector<Range>;  // ascending, disjoint
  struct Node {
    Ranges any, all;
  };
  struct Cursor {
    const Range* at;
    const Range* end;
    Bytes lo, hi;  // range of the queried piece, relative to its item's offset
  };

  template <typename Whole, typename Part>
  void visit(int32_t piece, const Whole& whole, const Part& part);
  void add(size_t node, bool all, Range range);
  Bytes first_free(Bytes from, Bytes alignment);

  const Items& items_;
  std::vector<int32_t> lower_, upper_;  // per piece: sections [lower, upper)
  std::vector<size_t> level_;           // where the nodes of 2^k sections start
  std::vector<Node> nodes_;
  std::vector<size_t> used_;
  std::vector<Cursor> cursors_;
};

// Orders of items for place_all, with ties broken by properties of the items, not by their position in the input.
enum class Key { size, area, length, begin, end };
std::vector<int32_t> order_by(const Items& items, Key key, const StopCheck& stop_check = {});

}  // namespace arenascope::planner
