// SPDX-License-Identifier: MIT
// The result of a planner: an offset for every interval, and quality figures.
#pragma once
#include <arenascope/base/ids.h>

#include <cstdint>
#include <string>
#include <vector>

namespace arenascope::planner {

struct Plan {
  std::string planner;
  std::vector<Bytes> offsets;  // one for each interval of the problem
  Bytes arena_bytes = 0;       // the end of the highest buffer
  Bytes lower_bound = 0;       // no plan can be smaller; a search may prove a larger bound than planner::lower_bound()
  bool optimal = false;        // proven: no smaller plan exists
  double seconds = 0;
  std::vector<BlockId> blocks;       // where the planner has blocks: which one each interval uses; else empty
  std::vector<uint8_t> reuse_level;  // parallel to blocks: 0 first user of its block, 1 or 2 reuses at that level

  // arena_bytes over lower_bound; 1 is perfect. An empty problem has 1.
  double ratio() const {
    return lower_bound > 0 ? static_cast<double>(arena_bytes) / static_cast<double>(lower_bound) : 1.0;
  }
};

}  // namespace arenascope::planner
