// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/timeline/timeline_flow.h>

#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace arenascope::views {

namespace {

// The node that computed the data of an input; invalid for leaf tensors.
NodeId worker(const trace::GraphInfo& graph, trace::TensorRef ref) {
  for (int guard = 0; ref.is_node() && ref.index() < graph.nodes.size() && guard < 64; ++guard) {
    const trace::TensorInfo& node = graph.nodes[ref.index()];
    if ((node.flags & trace::kNoWork) == 0) return NodeId(ref.index());
    if (node.view_source.valid())
      ref = node.view_source;
    else if (!node.sources.empty())
      ref = node.sources.front();
    else
      break;
  }
  return NodeId::none();
}

void add(std::vector<NodeId>& nodes, NodeId node) {
  if (node.valid() && std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

}  // namespace

Flow flow_of(const trace::GraphInfo& graph, NodeId node) {
  Flow flow;
  if (!node.valid() || node.index() >= graph.nodes.size()) return flow;
  flow.node = node;
  for (trace::TensorRef source : graph.nodes[node.index()].sources) add(flow.from, worker(graph, source));
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if ((graph.nodes[i].flags & trace::kNoWork) == 0 && NodeId(i) != node)
      for (trace::TensorRef source : graph.nodes[i].sources)
        if (worker(graph, source) == node) add(flow.to, NodeId(i));
  return flow;
}

void draw_flow_arrow(QPainter& painter, const QRectF& from, const QRectF& to, const QColor& colour) {
  constexpr double kHead = 6;
  const QPointF a(from.right(), from.center().y()), b(to.left(), to.center().y());
  const double bend = std::max(12.0, std::abs(b.x() - a.x()) / 2);
  QPainterPath path(a);
  path.cubicTo(a + QPointF(bend, 0), b - QPointF(bend, 0), b);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colour, 1.5));
  painter.drawPath(path);
  painter.setBrush(colour);
  painter.setPen(Qt::NoPen);
  painter.drawPolygon(QPolygonF({b, b + QPointF(-kHead, -kHead / 2), b + QPointF(-kHead, kHead / 2)}));
}

}  // namespace arenascope::views
