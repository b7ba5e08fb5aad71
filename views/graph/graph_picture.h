// SPDX-License-Identifier: GPL-3.0-or-later
// The graph as it will be drawn, prepared away from the UI thread: folded, its texts measured, laid out. A pure
// function; what it gives is immutable.
#pragma once
#include <memory>
#include <stop_token>

#include "graph_scene.h"

namespace arenascope::views {

struct GraphWish {
  std::shared_ptr<const trace::GraphInfo> info;
  std::shared_ptr<const Layers> layers;
  std::set<int32_t> expanded;
  bool shapes = false;  // on all edges
};

struct GraphPicture {
  std::shared_ptr<const trace::GraphInfo> info;
  std::shared_ptr<const FoldedGraph> folded;
  std::shared_ptr<const GraphLayout> layout;
  std::vector<VertexText> texts;
  std::vector<EdgeBadge> badges;  // empty unless shapes were wished for
};

// Null: stopped.
std::shared_ptr<const GraphPicture> prepare_graph(const GraphWish& wish, std::stop_token stop);

}  // namespace arenascope::views
