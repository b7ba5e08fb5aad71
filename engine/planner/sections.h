// SPDX-License-Identifier: MIT
// The shape of a problem on flat arrays: time is cut into the sections that matter, sizes are counted in units.
#pragma once
#include "engine/planner/items.h"

namespace arenascope::planner {

// Buffers as rectangles over sections. A section is a range of steps with one live set; a section whose live set is a
// subset of a neighbour's is dropped, because buffers that are disjoint in the neighbour are disjoint in it too.
struct Sections {
  std::vector<int32_t> lower, upper;  // per item: sections [lower, upper)
  std::vector<Bytes> size;            // in units
  int32_t count = 0;                  // sections
  Bytes unit = 1;                     // bytes: every size and offset is a multiple of it

  size_t items() const { return size.size(); }
  // Largest sum of sizes over a section: the lower bound in units.
  Bytes peak() const;
};

// Items that are simple, without fixed offsets and with one alignment for all; otherwise nullopt. Sizes that
// are not a multiple of the alignment are rounded up.
std::optional<Sections> make_sections(const Items& items, const StopCheck& stop_check = {});

}  // namespace arenascope::planner
