// SPDX-License-Identifier: GPL-3.0-or-later
// Facts about fused nodes, for the commands.
#pragma once
#include <arenascope/transform/fusion.h>

#include <arenascope/run/compile.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

// The ops of a fused node in order: [{"name", "op"}].
Json fused_ops(const TensorImpl& node);
// The graph with the fusion and image layouts that `backend` would choose; outputs are preserved. Errors: the
// backend cannot be opened, out of memory.
Result<FusedGraph> fuse_for(const Graph& graph, const std::string& backend);
// The graph that is planned or run: {"backend", "form", "nodes"}.
Json graph_json(const Program& program, const std::string& backend);
// "graph for cpu: fused, channels-last images; 38 nodes"
std::string graph_text(const Program& program, const std::string& backend);
// Total bytes of all computed tensors of the graph.
Bytes activation_bytes(const Graph& graph);

}  // namespace arenascope::cli
