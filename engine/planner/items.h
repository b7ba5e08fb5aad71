// SPDX-License-Identifier: MIT
// The units that planners place. Buffers that must keep their distance (attachments) or that share their bytes (in
// place) become one item; a gap cuts an item into pieces. An item is moved as a whole; only its pieces collide.
//
//   bytes ^   +--------+          +-----+     an item of three pieces: a buffer with a gap, in which
//         |   |        |          |     |     it keeps only a window of its bytes
//         |   |        +----------+     |
//         |   |        |          |     |
//         +---+--------+----------+-----+--> steps
#pragma once
#include <arenascope/planner/clock.h>
#include <arenascope/planner/interval.h>
#include <arenascope/planner/plan.h>

namespace arenascope::planner {

// Bytes [lo, hi) above the item's offset, in use during the steps [lower, upper).
struct Piece {
  int64_t lower, upper;
  Bytes lo, hi;
};

struct Item {
  int32_t first = 0, last = 0;  // pieces [first, last)
  int64_t lower = 0, upper = 0;
  Bytes size = 0;
  Bytes alignment = 1;
  Bytes fixed = -1;  // the required offset; -1: any
};

struct Items {
  std::vector<Item> items;
  std::vector<Piece> pieces;
  std::vector<int32_t> item_of;  // per interval
  std::vector<Bytes> shift_of;   // where an interval starts in its item; empty: all 0
  bool simple = true;            // each item is one piece over its whole size
  bool any_fixed = false;

  // Offsets of the intervals from offsets of the items.
  std::vector<Bytes> to_intervals(const std::vector<Bytes>& item_offsets) const;
};

// Items of a valid problem. In-place pairs are merged where `in_place` is true, the smaller fits in the larger one and
// no third buffer is affected. Errors: attachments whose fixed offsets contradict each other.
Result<Items> make_items(const Problem& problem, bool in_place, const StopCheck& stop_check = {});

// The pieces of one interval.
void append_pieces(const Interval& interval, std::vector<Piece>& out);

}  // namespace arenascope::planner
