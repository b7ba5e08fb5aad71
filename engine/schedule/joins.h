// SPDX-License-Identifier: MIT
// Concatenations that copy nothing: their sources are laid next to each other, where the result is to lie.
#pragma once
#include <span>
#include <vector>

#include <arenascope/graph/graph.h>
#include <arenascope/planner/interval.h>

namespace arenascope {

struct Joins {
  std::vector<NodeId> nodes;                     // the concatenations
  std::vector<planner::Attachment> attachments;  // of their sources' intervals to their own
};

// A concatenation counts if each of its sources is a whole tensor that the graph computes, a stretch of the result
// (nothing before the axis has more than one index) at a multiple of the alignment, and part of no other one.
// `interval_of`: by node, -1 where it owns no planned bytes.
Joins find_joins(const Graph& graph, std::span<const NodeId> order, std::span<const int64_t> interval_of,
                 Bytes alignment);

}  // namespace arenascope
