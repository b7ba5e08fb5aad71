// SPDX-License-Identifier: MIT
// Concatenations without copies: the inputs are placed directly in the memory of the result.
#pragma once
#include <span>

#include <arenascope/graph/lifetime.h>

namespace arenascope {

// Sets part_of and part_offset in the lifetimes of the inputs of such concatenations, as specified by find_lifetimes().
// An input of several concatenations is aliased into the first one in the order.
void find_joins(const Graph& graph, std::span<const NodeId> order, Bytes alignment, std::span<Lifetime> rows);

}  // namespace arenascope
