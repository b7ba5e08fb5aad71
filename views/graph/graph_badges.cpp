// SPDX-License-Identifier: GPL-3.0-or-later
// Places shape badges on edges where there is enough space.
#include "graph_badges.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "graph_fonts.h"

namespace arenascope::views {
namespace {

constexpr double kHigh = 16, kAround = 2;
constexpr double kBadgePositions[] = {0.5, 0.35, 0.65, 0.2, 0.8};  // along an edge, in order of preference

// A grid index of rectangles for overlap tests. Each rectangle is in all cells that it touches.
class Covered {
 public:
  void add(const QRectF& rect) {
    each_cell(rect, [&](int64_t cell) {
      cells_[cell].push_back(rect);
      return false;
    });
  }
  bool by(const QRectF& rect) const {
    return each_cell(rect, [&](int64_t cell) {
      const auto it = cells_.find(cell);
      return it != cells_.end() &&
             std::any_of(it->second.begin(), it->second.end(), [&](const QRectF& r) { return r.intersects(rect); });
    });
  }

 private:
  static constexpr double kCell = 128;
  template <class Visit>
  static bool each_cell(const QRectF& rect, Visit visit) {
    const auto cell = [](double at) { return static_cast<int64_t>(std::floor(at / kCell)); };
    for (int64_t y = cell(rect.top()); y <= cell(rect.bottom()); ++y)
      for (int64_t x = cell(rect.left()); x <= cell(rect.right()); ++x)
        if (visit(y * (int64_t{1} << 32) + x)) return true;
    return false;
  }
  std::unordered_map<int64_t, std::vector<QRectF>> cells_;
};

QString shape_on(const GraphScene& scene, const FoldedEdge& edge) {
  if (edge.count > 1) return {};
  const NodeId shown = edge.views.empty() ? edge.source : edge.views.back();
  if (!shown.valid() || shown.index() >= scene.info->nodes.size()) return {};
  const trace::TensorInfo& node = scene.info->nodes[shown.index()];
  return node.shape.empty() && node.dtype.empty() ? QString() : QString::fromStdString(shape_text(node.shape));
}

}  // namespace

QString edge_label(const GraphScene& scene, const FoldedEdge& edge, bool with_shape) {
  QString label;
  if (!edge.views.empty()) {
    label = QString::fromStdString(scene.info->nodes[edge.views.front().index()].op);
    if (edge.views.size() > 1) label += QStringLiteral(" +%1").arg(edge.views.size() - 1);
  }
  const QString shape = with_shape ? shape_on(scene, edge) : QString();
  return label.isEmpty() || shape.isEmpty() ? label + shape : label + QStringLiteral(" · ") + shape;
}

QRectF badge_at(const QPointF& middle, const QString& label) {
  const double width = QFontMetricsF(graph_font(GraphFont::Small)).horizontalAdvance(label) + 12;
  return {middle.x() - width / 2, middle.y() - kHigh / 2, width, kHigh};
}

QPainterPath path_of(const std::vector<QPointF>& curve) {
  QPainterPath path(curve.front());
  for (size_t i = 1; i + 2 < curve.size(); i += 3) path.cubicTo(curve[i], curve[i + 1], curve[i + 2]);
  return path;
}

std::vector<EdgeBadge> badges_with_shapes(const GraphScene& scene) {
  const auto& edges = scene.folded->edges;
  std::vector<EdgeBadge> badges(edges.size());
  Covered covered;
  for (size_t v = 0; v < scene.folded->vertices.size(); ++v) covered.add(scene.rect_of(static_cast<int32_t>(v)));
  const auto there = [&](size_t e) { return scene.layout->curves[e].size() >= 4; };
  const auto is_free = [&](const QRectF& place) {
    return !covered.by(place.adjusted(-kAround, -kAround, kAround, kAround));
  };
  for (size_t e = 0; e < edges.size(); ++e) {  // view badges are always drawn
    if (!there(e) || edges[e].views.empty()) continue;
    const QPointF middle = path_of(scene.layout->curves[e]).pointAtPercent(0.5);
    const QString with_shape = edge_label(scene, edges[e], true);
    const QString label = is_free(badge_at(middle, with_shape)) ? with_shape : edge_label(scene, edges[e], false);
    badges[e] = {label, badge_at(middle, label)};
    covered.add(badges[e].place);
  }
  for (size_t e = 0; e < edges.size(); ++e) {
    if (!there(e) || !edges[e].views.empty()) continue;
    const QString label = edge_label(scene, edges[e], true);
    if (label.isEmpty()) continue;
    const QPainterPath path = path_of(scene.layout->curves[e]);
    for (const double along : kBadgePositions) {
      const QRectF place = badge_at(path.pointAtPercent(along), label);
      if (!is_free(place)) continue;
      covered.add(place);
      badges[e] = {label, place};
      break;
    }
  }
  return badges;
}

}  // namespace arenascope::views
