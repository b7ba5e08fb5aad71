// SPDX-License-Identifier: GPL-3.0-or-later
// Memory tables for tensors in allocator spaces, derived from the spaces and allocations only.
#pragma once
#include <views/tables/table.h>

namespace arenascope::views {

// True if the tensors of the input are in allocator spaces and not in a plan's arena.
bool is_in_spaces(const TableInput& input);

TablePtr space_blocks_table(const TableInput& input);     // one row per address, with the blocks there in sequence
TablePtr space_holes_table(const TableInput& input);      // reserved but unused memory
TablePtr space_slices_table(const TableInput& input);     // one row per allocation
TablePtr space_occupancy_table(const TableInput& input);  // one row per change

}  // namespace arenascope::views
