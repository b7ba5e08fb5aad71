// SPDX-License-Identifier: MIT
// Restores a graph from its recorded description. The graph can be ordered and planned, but not computed, so that a
// recording from any machine can be re-planned without the model.
#pragma once
#include <arenascope/graph/graph.h>
#include <arenascope/trace/info.h>

#include <optional>

namespace arenascope {

// The op of a described node; none for a leaf or an unknown op.
std::optional<Op> op_of(const trace::TensorInfo& node);

// A graph with the same nodes and leafs under the same ids and the byte sizes of the description. Fused nodes keep
// their ops; an op that is unknown or whose description is inconsistent becomes OPAQUE. The handle keeps the pool
// alive.
// Errors: a node that precedes one of its inputs, a source out of range, sizes beyond 2^63.
Result<Graph> restore_graph(const trace::GraphInfo& info);

}  // namespace arenascope
