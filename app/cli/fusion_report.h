// SPDX-License-Identifier: GPL-3.0-or-later
// What fused nodes hold, as the commands say it.
#pragma once
#include <arenascope/transform/fusion.h>

#include "app/cli/cli.h"

namespace arenascope::cli {

// [{"name", "op"}], first to last.
Json held(const TensorImpl& node);
// The graph as `backend` would have it fused, outputs kept, and images laid out as is fastest. Errors: a backend that
// cannot be opened, no memory.
Result<FusedGraph> fuse_for(const Graph& graph, const std::string& backend);
// Bytes of everything that the graph computes.
Bytes activation_bytes(const Graph& graph);

}  // namespace arenascope::cli
