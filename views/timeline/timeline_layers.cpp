// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline_layers.h"

#include <arenascope/base/layer_name.h>

#include <algorithm>
#include <string_view>

namespace arenascope::views {

namespace {

// The first `parts` components of a layer name; empty if it has fewer.
std::string_view outer_part(std::string_view layer, int parts) {
  size_t end = 0;
  for (int i = 0; i < parts; ++i) {
    if (end >= layer.size()) return {};
    end = std::min(layer.find(kWithinLayer, end + (i > 0 ? kWithinLayer.size() : 0)), layer.size());
  }
  return layer.substr(0, end);
}

}  // namespace

std::vector<LayerStretch> layer_stretches(const trace::GraphInfo& graph, const trace::PlanInfo& plan, int deepest) {
  std::vector<LayerStretch> out;
  for (int depth = 0; depth < deepest; ++depth) {
    const size_t before = out.size();
    bool continues = false;  // the previous step belongs to the last stretch
    for (size_t s = 0; s < plan.order.size(); ++s) {
      const size_t node = plan.order[s].index();
      const std::string_view layer =
          node < graph.nodes.size() ? outer_part(graph.nodes[node].layer, depth + 1) : std::string_view();
      if (continues && out.back().name == layer)
        out.back().last = Step(s + 1);
      else if (!layer.empty())
        out.push_back({depth, Step(s), Step(s + 1), std::string(layer)});
      continues = !layer.empty();
    }
    if (out.size() == before) break;
  }
  return out;
}

}  // namespace arenascope::views
