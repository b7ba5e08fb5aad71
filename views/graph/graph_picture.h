// SPDX-License-Identifier: GPL-3.0-or-later
// The graph prepared for drawing on a worker: folded, with measured texts and a layout. A pure function with an
// immutable result.
#pragma once
#include <memory>
#include <stop_token>

#include "graph_scene.h"

namespace arenascope::views {

enum class LayoutEngine : uint8_t { BuiltIn, Graphviz };
inline constexpr int kLayoutEngines = 2;

struct GraphRequest {
  std::shared_ptr<const trace::GraphInfo> info;
  std::shared_ptr<const Layers> layers;
  std::set<int32_t> expanded;
  bool shapes = false;  // on all edges
  LayoutEngine engine = LayoutEngine::BuiltIn;
};

struct GraphPicture {
  std::shared_ptr<const trace::GraphInfo> info;
  std::shared_ptr<const FoldedGraph> folded;
  std::shared_ptr<const GraphLayout> layout;
  std::vector<VertexText> texts;
  std::vector<EdgeBadge> badges;  // empty unless shapes were requested
  QString problem;                // why the layout is the built-in one, if Graphviz' was requested; empty: none
};

// Null if stopped.
std::shared_ptr<const GraphPicture> prepare_graph(const GraphRequest& request, std::stop_token stop);

}  // namespace arenascope::views
