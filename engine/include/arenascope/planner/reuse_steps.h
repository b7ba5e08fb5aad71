// SPDX-License-Identifier: MIT
// GE's two-level reuse as steps that can be played through: the blocks of level 1, sorted as level 2 takes them, and each
// of its moves. The plan that it ends in is that of the planner `two-level`.
#pragma once
#include <arenascope/planner/planner.h>

namespace arenascope::planner {

// Level 1: intervals of one size whose lifetimes do not meet, one after the other.
struct ReuseBlock {
  Bytes size = 0;
  std::vector<int32_t> intervals;  // in order of time; intervals that share bytes in place count as one
  int64_t lower = 0, upper = 0;    // from its first interval's first step to its last one's end; may include gaps
};

// Level 2: the outcome for a block when a holder, the largest remaining block, is tried for it.
struct ReuseMove {
  enum class Outcome : uint8_t {
    Holds,    // it is the holder: it is at `offset` of the arena
    Merges,   // it is laid into the holder, at `offset` of it
    Meets,    // it lives together with the holder: it waits for the next one
    NoPlace,  // what the holder holds already leaves no stretch that is large enough: it waits
  };
  int32_t block = 0, holder = 0;
  Outcome outcome = Outcome::Holds;
  Bytes offset = 0;
  Bytes arena_bytes = 0;  // of all holders so far
};
const char* name(ReuseMove::Outcome outcome);  // "holds", "merges", "meets", "no place"

struct ReuseSteps {
  std::vector<ReuseBlock> blocks;  // sorted: from large to small, as level 2 takes them
  std::vector<ReuseMove> moves;    // the first kMaxMoves
  int64_t intervals = 0;           // planned ones, without those with a fixed offset
  int64_t joined = 0;              // by level 1: intervals that another one's block took in
  int64_t merged = 0;              // by level 2: blocks that are placed in another one
  Bytes arena_bytes = 0;
  static constexpr size_t kMaxMoves = 100'000;
};

// Errors: what validate() refuses.
Result<ReuseSteps> reuse_steps(const Problem& problem);

}  // namespace arenascope::planner
