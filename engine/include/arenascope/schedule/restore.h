// SPDX-License-Identifier: MIT
// The way back from a description: a graph that can be ordered and planned again, though not computed. A recording of
// a run, from this machine or another, is replanned by it as the model itself would be.
#pragma once
#include <arenascope/graph/graph.h>
#include <arenascope/trace/info.h>

#include <optional>

namespace arenascope {

// The op of a described node; none for a leaf, or for one that this engine does not have.
std::optional<Op> op_of(const trace::TensorInfo& node);

// A graph with the same nodes and leafs under the same numbers. Sizes in bytes are the description's; a
// fused node knows its parts, and an op that this engine does not have, or not so, is OPAQUE. The handle keeps the pool
// alive.
// Errors: a node that stands before one of its sources, a source out of range, sizes beyond 2^63.
Result<Graph> restore_graph(const trace::GraphInfo& info);

}  // namespace arenascope
