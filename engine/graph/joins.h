// SPDX-License-Identifier: MIT
// Concatenations that copy nothing: their sources are laid next to each other, where the result is to lie.
#pragma once
#include <span>

#include <arenascope/graph/lifetime.h>

namespace arenascope {

// Sets part_of and part_offset in the rows of what such concatenations join, as find_lifetimes() says. Of several that
// want the same source, the first one of the order gets it.
void find_joins(const Graph& graph, std::span<const NodeId> order, Bytes alignment, std::span<Lifetime> rows);

}  // namespace arenascope
