// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_picture.h"

#include "graph_badges.h"
#include "graphviz_layout.h"

namespace arenascope::views {

namespace {

// Null if stopped.
std::shared_ptr<const GraphLayout> layout_of(const GraphRequest& request, GraphPicture& picture,
                                             const std::vector<QSizeF>& sizes, const std::stop_token& stop) {
  if (request.engine == LayoutEngine::Graphviz && !sizes.empty()) {
    const GraphvizOutput made = Graphviz::run(layout_request(*picture.folded, sizes), QStringLiteral("plain"),
                                              [&stop] { return !stop.stop_requested(); });
    if (stop.stop_requested()) return nullptr;
    auto layout = layout_from_plain(made.output, *picture.folded, sizes);
    if (layout) return std::make_shared<const GraphLayout>(std::move(*layout));
    picture.problem = made.problem.isEmpty() ? Graphviz::tr("The output of “dot” is incomplete.") : made.problem;
  }
  return std::make_shared<const GraphLayout>(layered_layout(*picture.folded, sizes));
}

}  // namespace

std::shared_ptr<const GraphPicture> prepare_graph(const GraphRequest& request, std::stop_token stop) {
  auto picture = std::make_shared<GraphPicture>();
  picture->info = request.info;
  picture->folded = std::make_shared<const FoldedGraph>(fold(*request.info, *request.layers, request.expanded));
  if (stop.stop_requested()) return nullptr;
  picture->texts = vertex_texts(*request.info, *request.layers, *picture->folded);
  const std::vector<QSizeF> sizes = vertex_sizes(*picture->folded, picture->texts);
  if (stop.stop_requested()) return nullptr;
  picture->layout = layout_of(request, *picture, sizes, stop);
  if (!picture->layout) return nullptr;
  if (request.shapes && !stop.stop_requested()) {
    GraphScene scene;
    scene.info = request.info;
    scene.folded = picture->folded;
    scene.layout = picture->layout;
    picture->badges = badges_with_shapes(scene);
  }
  return picture;
}

}  // namespace arenascope::views
