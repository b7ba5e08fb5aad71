// SPDX-License-Identifier: MIT
// CANN's max-block and binary-block as steps that can be played through: the block sizes, the block that each interval
// takes in order of time, and the blocks after they have shrunk. The plan that they end in is that of the planner.
#pragma once
#include <arenascope/planner/planner.h>

namespace arenascope::planner {

struct RangeBlock {
  Bytes range = 0;                 // its size while intervals are assigned
  Bytes size = 0;                  // of its largest interval: its size in the end
  Bytes offset = 0;                // in the arena
  std::vector<int32_t> intervals;  // in order of time
};

struct BlockSteps {
  std::vector<Bytes> ranges;       // block sizes, ascending
  std::vector<RangeBlock> blocks;  // in the order in which they are opened
  std::vector<int32_t> intervals;  // in the order in which blocks are assigned to them
  std::vector<BlockId> block_of;   // by interval
  Bytes arena_bytes = 0;
};

// `doubling`: binary-block; otherwise max-block. Errors: what validate() refuses.
Result<BlockSteps> block_steps(const Problem& problem, bool doubling);

}  // namespace arenascope::planner
