// SPDX-License-Identifier: GPL-3.0-or-later
#include "layer_nodes.h"

#include <arenascope/base/layer_name.h>

namespace arenascope::views {

std::vector<NodeId> nodes_in_layer(const trace::GraphInfo& graph, const std::string& name) {
  const std::string within = name + std::string(kWithinLayer);
  std::vector<NodeId> out;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].layer == name || graph.nodes[i].layer.starts_with(within)) out.push_back(NodeId(i));
  return out;
}

}  // namespace arenascope::views
