// SPDX-License-Identifier: GPL-3.0-or-later
// Labels on edges: the views on the path, and the shape of the tensor.
#pragma once
#include <QPainterPath>

#include "graph_scene.h"

namespace arenascope::views {

QPainterPath path_of(const std::vector<QPointF>& curve);
QString edge_label(const GraphScene& scene, const FoldedEdge& edge, bool with_shape);
QRectF badge_at(const QPointF& middle, const QString& label);
// Adds the shape to each edge where it covers neither a card nor another badge.
std::vector<EdgeBadge> badges_with_shapes(const GraphScene& scene);

}  // namespace arenascope::views
