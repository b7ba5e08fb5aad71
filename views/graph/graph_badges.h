// SPDX-License-Identifier: GPL-3.0-or-later
// What stands on an edge: the views on its way, and the shape of the tensor that goes along it.
#pragma once
#include <QPainterPath>

#include "graph_scene.h"

namespace arenascope::views {

QPainterPath path_of(const std::vector<QPointF>& curve);
QString edge_label(const GraphScene& scene, const FoldedEdge& edge, bool with_shape);
QRectF badge_at(const QPointF& middle, const QString& label);
// With its shape on each edge where that covers neither a card nor what stands on another edge.
std::vector<EdgeBadge> badges_with_shapes(const GraphScene& scene);

}  // namespace arenascope::views
