// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <arenascope/trace/info.h>

#include <string>
#include <vector>

namespace arenascope::views {

// The nodes of a layer, including those of nested layers (base/layer_name.h), ascending.
std::vector<NodeId> nodes_in_layer(const trace::GraphInfo& graph, const std::string& name);

}  // namespace arenascope::views
