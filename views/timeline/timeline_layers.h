// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a graph along its execution order: runs of consecutive steps of the same layer.
#pragma once
#include <arenascope/trace/info.h>

#include <string>
#include <vector>

namespace arenascope::views {

struct LayerStretch {
  int depth = 0;     // number of enclosing layers
  Step first, last;  // half-open
  std::string name;  // qualified with the enclosing layers
};

// Sorted by depth (at most `deepest` levels), then by step. Empty if the graph names no layers.
std::vector<LayerStretch> layer_stretches(const trace::GraphInfo& graph, const trace::PlanInfo& plan, int deepest = 3);

}  // namespace arenascope::views
