// SPDX-License-Identifier: MIT
// The state of a search from the bottom up: what is placed, where the floor is over each section of time, and which
// valley has the fewest candidates. Every change can be undone.
//
//   bytes ^  |wall|           |wall|      Placed items are downward closed, so the rest is on the floor. A valley
//         |  |    |__valley___|    |      is a stretch of equal floor between higher walls. In a plan in which all
//         +---------------------------->  has sunk as far as it can, a valley's first section is covered at floor
//                                  steps  level by an item that begins right there and ends within the valley, or by
// nothing: then its floor rises to where the next item over it can be at the earliest. So with its last section.
#pragma once
#include "engine/planner/sections.h"

#include <cstdint>
#include <vector>

namespace arenascope::planner {

struct Valley {
  int32_t a = -1, b = -1;     // sections [a, b); a < 0: none
  bool at_end = false;        // the candidates are at its last section, not at its first
  int32_t ways = 0;           // items that could go there, and one more if it may stay uncovered; 0: a dead end
  Bytes tight = 0;            // floor plus what is to come over that section
  Bytes left = 0, right = 0;  // its walls
  Bytes raise = 0;            // where the floor of ...
  int32_t from = 0, to = 0;   // ... these sections rises to if they stay uncovered
};

class Skyline {
 public:
  explicit Skyline(const Sections& problem, const StopCheck& stop_check = {});

  // Nothing placed. False where some section alone exceeds the capacity.
  bool reset(Bytes capacity);
  // Puts an item on the floor, which is flat below it; raises the floor of a stretch that is flat. Both return false
  // if that leaves too few bytes over some section; the change is made nevertheless.
  bool place(int32_t item);
  bool raise(int32_t from, int32_t to, Bytes floor);
  // Undoes all changes since mark().
  size_t mark() const { return trail_.size(); }
  void undo(size_t mark);

  // The valley in [from, to) with the fewest candidates, among these the tightest; or any dead end.
  Valley best(int32_t from, int32_t to);

  bool placed(int32_t item) const { return offset_[item] >= 0; }
  bool finished(int32_t section) const { return rest_[section] == 0; }
  bool connected(int32_t section) const { return crossing_[section] > 0; }  // with the one before, by an unplaced item
  Bytes floor(int32_t section) const { return floor_[section]; }
  Bytes capacity() const { return capacity_; }
  const std::vector<Bytes>& offsets() const { return offset_; }
  // The last placed item with the same lifetime, or -1.
  int32_t last_alike(int32_t item) const { return group_top_[group_[item]]; }
  // Items in order of their first section (then of their end); of their last one. Those of section s are at
  // [lower_at[s], lower_at[s + 1]); those that end with section s - 1 at [upper_at[s], upper_at[s + 1]).
  std::vector<int32_t> by_lower, by_upper, lower_at, upper_at;

 private:
  struct Change {
    int32_t item;  // or -1
    int32_t from, to;
    int32_t before;  // of an item: the last one alike
    Bytes floor;
  };
  // Candidates at one end of a valley; the fields are as in Valley.
  struct End {
    int32_t ways;
    Bytes tight, raise;
    int32_t from, to;
  };
  static constexpr int32_t kChunk = 16;

  void touch(int32_t from, int32_t to);
  End first_end(const Valley& v) const;
  End last_end(const Valley& v) const;
  void consider(Valley v, Valley& best) const;
  Valley scan(int32_t from, int32_t to) const;
  bool starved(const Valley& v) const;

  const Sections& p_;
  Bytes capacity_ = 0;
  Bytes min_size_ = 1;  // the smallest size
  std::vector<Bytes> floor_, rest_, offset_;
  std::vector<Bytes> all_;  // rest_ with nothing placed
  std::vector<int32_t> crossing_, all_crossing_;
  std::vector<int32_t> group_, group_top_;
  std::vector<Change> trail_;
  std::vector<Valley> chunk_;  // the best one that begins in each chunk of sections
  std::vector<char> dirty_;
  mutable std::vector<Bytes> inner_;  // scratch
};

}  // namespace arenascope::planner
