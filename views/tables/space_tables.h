// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of memory where tensors lie in allocators' spaces: from the spaces and what was handed out in them alone.
#pragma once
#include <views/tables/table.h>

namespace arenascope::views {

// Whether what is shown lies in spaces, and not in a plan's arena.
bool lies_in_spaces(const TableInput& input);

TablePtr space_blocks_table(const TableInput& input);     // a row a place, with what lay there one after the other
TablePtr space_holes_table(const TableInput& input);      // what spaces held and nobody used
TablePtr space_slices_table(const TableInput& input);     // a row a piece of memory that was handed out
TablePtr space_occupancy_table(const TableInput& input);  // a row a moment at which something changed

}  // namespace arenascope::views
