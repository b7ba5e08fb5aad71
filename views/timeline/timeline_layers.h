// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a graph along its order: steps one behind the other that belong to the same.
#pragma once
#include <arenascope/trace/info.h>

#include <string>
#include <vector>

namespace arenascope::views {

struct LayerStretch {
  int depth = 0;     // layers around it
  Step first, last;  // half-open
  std::string name;  // with those around it
};

// By depth, at most `deepest` of them, and by step. None where the graph names no layers.
std::vector<LayerStretch> layer_stretches(const trace::GraphInfo& graph, const trace::PlanInfo& plan, int deepest = 3);

}  // namespace arenascope::views
