// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_picture.h"

#include "graph_badges.h"

namespace arenascope::views {

std::shared_ptr<const GraphPicture> prepare_graph(const GraphRequest& request, std::stop_token stop) {
  auto picture = std::make_shared<GraphPicture>();
  picture->info = request.info;
  picture->folded = std::make_shared<const FoldedGraph>(fold(*request.info, *request.layers, request.expanded));
  if (stop.stop_requested()) return nullptr;
  picture->texts = vertex_texts(*request.info, *request.layers, *picture->folded);
  const std::vector<QSizeF> sizes = vertex_sizes(*picture->folded, picture->texts);
  if (stop.stop_requested()) return nullptr;
  picture->layout = std::make_shared<const GraphLayout>(layered_layout(*picture->folded, sizes));
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
