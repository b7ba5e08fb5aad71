// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/rect_plottable.h>
#include <QPainterPath>
#include <QtMath>
#include <cmath>

#include "graph_badges.h"
#include "graph_fonts.h"

namespace arenascope::views {
namespace {

constexpr double kTextFrom = 0.42;  // below this scale, text is not readable

struct ChipBox {
  QRectF rect;
  size_t index = 0;  // into Vertex::chips
};

// As many chips as fit side by side at the bottom of the box; space for "+n" is reserved if some do not fit.
std::vector<ChipBox> chip_boxes(const QRectF& box, const std::vector<QString>& chips) {
  const QFontMetricsF metrics(graph_font(GraphFont::Small));
  std::vector<ChipBox> boxes;
  double left = box.left() + 10;
  for (size_t i = 0; i < chips.size(); ++i) {
    const double width = std::min(metrics.horizontalAdvance(chips[i]) + 10, 92.0);
    const double keep = i + 1 < chips.size() ? 22 : 4;
    if (left + width + keep > box.right() && !boxes.empty()) break;
    boxes.push_back({QRectF(left, box.bottom() - 21, std::min(width, box.right() - left - keep), 15), i});
    left += width + 4;
  }
  return boxes;
}

QColor role_colour(const trace::TensorInfo& tensor, const ThemeColours& colours) {
  if ((tensor.flags & trace::kInput) != 0) return colours[Role::Input];
  return colours[Role::Weight];
}

void paint_chips(QPainter& painter, const GraphScene& scene, size_t v, const QRectF& box, const SceneMarks& marks,
                 const ThemeColours& colours) {
  const std::vector<QString>& chips = scene.texts[v].chips;
  if (chips.empty()) return;
  painter.setFont(graph_font(GraphFont::Small));
  const QFontMetricsF metrics(painter.font());
  const std::vector<ChipBox> boxes = chip_boxes(box, chips);
  for (const ChipBox& chip : boxes) {
    const LeafId leaf = scene.folded->vertices[v].chips[chip.index].leaf;
    const QColor fill = role_colour(scene.info->leafs[leaf.index()], colours);
    painter.setBrush(mixed(colours.background, fill, 0.45));
    const bool marked = marks.leaf.valid() && leaf == marks.leaf;
    painter.setPen(marked ? QPen(colours.selection_outer, 2) : QPen(fill, 1));
    painter.drawRoundedRect(chip.rect, 7, 7);
    painter.setPen(colours.text);
    painter.drawText(chip.rect.adjusted(4, 0, -4, 0), Qt::AlignCenter,
                     metrics.elidedText(chips[chip.index], Qt::ElideMiddle, chip.rect.width() - 7));
  }
  if (boxes.size() < chips.size()) {
    painter.setPen(colours.dim_text);
    painter.drawText(QRectF(boxes.back().rect.right() + 3, boxes.back().rect.top(), 24, 15), Qt::AlignVCenter,
                     QStringLiteral("+%1").arg(chips.size() - boxes.size()));
  }
}

// Outlines of a card: running, search match, selected, or with a breakpoint.
void paint_outlines(QPainter& painter, size_t v, const QRectF& card, const VertexStyle& style, const SceneMarks& marks,
                    const ThemeColours& colours, double scale) {
  const bool selected =
      std::find(marks.selected.begin(), marks.selected.end(), static_cast<int32_t>(v)) != marks.selected.end();
  if (style.current) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colours[Role::Work], 2.5));
    painter.drawRoundedRect(card.adjusted(-3, -3, 3, 3), 8, 8);
  }
  if (style.match) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colours.category(1), 2.5));
    painter.drawRoundedRect(card.adjusted(-2, -2, 2, 2), 8, 8);
  }
  if (selected) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colours.selection_inner, 5 / std::max(scale, 0.3)));
    painter.drawRoundedRect(card.adjusted(-3, -3, 3, 3), 8, 8);
    painter.setPen(QPen(colours.selection_outer, 2 / std::max(scale, 0.3)));
    painter.drawRoundedRect(card.adjusted(-3.5, -3.5, 3.5, 3.5), 8, 8);
  }
  if (std::find(marks.breakpoints.begin(), marks.breakpoints.end(), static_cast<int32_t>(v)) !=
      marks.breakpoints.end()) {
    painter.setPen(QPen(colours.background, 1.5));
    painter.setBrush(colours.breakpoint);
    painter.drawEllipse(QPointF(card.left() + 1, card.top() + 1), 6, 6);
  }
}

// Nodes that exist only on the other side of the comparison: a dashed ghost on the card's upper edge.
void paint_ghosts(QPainter& painter, const QRectF& card, const VertexStyle& style, const ThemeColours& colours) {
  if (style.only_in_b.empty()) return;
  painter.setFont(graph_font(GraphFont::Small));
  const QFontMetricsF metrics(painter.font());
  QString text = QStringLiteral("− ") + style.only_in_b.front();
  if (style.only_in_b.size() > 1) text += QStringLiteral(" +%1").arg(style.only_in_b.size() - 1);
  text = metrics.elidedText(text, Qt::ElideMiddle, card.width() * 0.6);
  const double width = metrics.horizontalAdvance(text) + 12;
  const QRectF ghost(card.right() - width - 4, card.top() - 11, width, 16);
  QPen pen(colours.category(1), 1.4, Qt::DashLine);
  painter.setPen(pen);
  painter.setBrush(colours.background);
  painter.drawRoundedRect(ghost, 5, 5);
  painter.setPen(colours.text);
  painter.drawText(ghost, Qt::AlignCenter, text);
}

// Scripts with taller glyphs than the interface font's are not cut off.
constexpr int kLineFlags = Qt::AlignVCenter | Qt::TextDontClip;

void paint_text(QPainter& painter, const GraphScene& scene, size_t v, const QRectF& box, const QRectF& card,
                const SceneMarks& marks, const ThemeColours& colours) {
  const Vertex& vertex = scene.folded->vertices[v];
  const VertexText& texts = scene.texts[v];
  const double width = card.width() - 18;
  QRectF line(card.left() + 11, card.top() + 4, width, 18);
  painter.setFont(graph_font(GraphFont::Title));
  painter.setPen(colours.text);
  const QString title = vertex.folded ? QStringLiteral("▸ ") + texts.title : texts.title;
  painter.drawText(line, kLineFlags, QFontMetricsF(painter.font()).elidedText(title, Qt::ElideMiddle, width));
  painter.setFont(graph_font(GraphFont::Small));
  const QFontMetricsF metrics(painter.font());
  line = QRectF(line.left(), line.bottom(), width, 14);
  painter.setPen(vertex.folded ? colours.dim_text : colours.text);
  painter.drawText(line, kLineFlags, metrics.elidedText(texts.second, Qt::ElideMiddle, width));
  if (vertex.folded) return;
  line.translate(0, 14);
  painter.setPen(colours.dim_text);
  painter.drawText(line, kLineFlags, metrics.elidedText(texts.third, Qt::ElideRight, width));
  paint_chips(painter, scene, v, box, marks, colours);
}

void paint_vertex(QPainter& painter, const GraphScene& scene, size_t v, const SceneMarks& marks,
                  const ThemeColours& colours, double scale) {
  const QRectF box = scene.rect_of(static_cast<int32_t>(v));
  const Vertex& vertex = scene.folded->vertices[v];
  const VertexStyle style = v < scene.vertex_styles.size() ? scene.vertex_styles[v] : VertexStyle{colours.panel};
  const bool small = scale < kTextFrom;
  painter.setOpacity(style.dimmed ? 0.35 : 1.0);

  const QColor face = small ? style.fill : mixed(colours.panel, style.fill, style.current ? 0.42 : 0.22);
  const QColor edge = mixed(style.fill, colours.text, 0.25);
  if (vertex.folded) {  // a stack of cards
    painter.setPen(QPen(mixed(edge, colours.background, 0.4), 1));
    painter.setBrush(mixed(face, colours.background, 0.4));
    for (int i : {2, 1}) painter.drawRoundedRect(box.translated(3.0 * i, 3.0 * i).adjusted(0, 0, -6, -6), 6, 6);
  }
  const QRectF card = vertex.folded ? box.adjusted(0, 0, -6, -6) : box;
  const trace::TensorInfo* node = vertex.folded ? nullptr : &scene.info->nodes[vertex.node.index()];
  const bool is_output = node != nullptr && (node->flags & trace::kOutput) != 0;
  const bool is_view = node != nullptr && is_view_node(*node);
  QPen outline(is_output ? colours[Role::Output] : edge, is_output ? 2.2 : 1.0);
  if (is_view) outline.setStyle(Qt::DashLine);
  painter.setPen(outline);
  painter.setBrush(face);
  painter.drawRoundedRect(card, 6, 6);
  if (!small) {  // the strip shows the colour at full strength
    QPainterPath clip;
    clip.addRoundedRect(card, 6, 6);
    painter.save();
    painter.setClipPath(clip, Qt::IntersectClip);
    painter.fillRect(QRectF(card.left(), card.top(), 5, card.height()), style.fill);
    painter.restore();
  }
  paint_outlines(painter, v, card, style, marks, colours, scale);
  if (!small) paint_text(painter, scene, v, box, card, marks, colours);
  if (!small) paint_ghosts(painter, card, style, colours);
}

void paint_frames(QPainter& painter, const GraphScene& scene, const ThemeColours& colours, const QRectF& visible,
                  double scale) {
  for (const auto& [layer, frame] : scene.layout->layers) {
    if (!frame.intersects(visible) || static_cast<size_t>(layer) >= scene.layers->names.size()) continue;
    painter.setPen(QPen(colours.axis, 1));
    painter.setBrush(mixed(colours.background, colours.panel, 0.7));
    painter.drawRoundedRect(frame, 8, 8);
    if (scale < kTextFrom) continue;
    painter.setFont(graph_font(GraphFont::Small));
    painter.setPen(colours.dim_text);
    const QString title = QStringLiteral("▾ ") + layer_title(*scene.layers, layer);
    painter.drawText(QRectF(frame.left() + 8, frame.top() + 3, frame.width() - 16, 16), Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(title, Qt::ElideMiddle, frame.width() - 16));
  }
}

void paint_arrow(QPainter& painter, const std::vector<QPointF>& curve, const QColor& colour) {
  const QPointF tip = curve.back();
  const QPointF from = curve[curve.size() - 2] == tip ? curve[curve.size() - 3] : curve[curve.size() - 2];
  const double angle = std::atan2(tip.y() - from.y(), tip.x() - from.x());
  QPolygonF head{tip};
  for (double side : {-0.42, 0.42}) head << tip - QPointF(std::cos(angle + side) * 7, std::sin(angle + side) * 7);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawPolygon(head);
}

void paint_badge(QPainter& painter, const QRectF& badge, const QString& label, const QColor& edge, Qt::PenStyle line,
                 const ThemeColours& colours) {
  painter.setFont(graph_font(GraphFont::Small));
  painter.setPen(QPen(edge, 1, line));
  painter.setBrush(colours.background);
  painter.drawRoundedRect(badge, 8, 8);
  painter.setPen(colours.dim_text);
  painter.drawText(badge, Qt::AlignCenter, label);
}

bool touches(const FoldedEdge& edge, const SceneMarks& marks) {
  return std::any_of(marks.selected.begin(), marks.selected.end(),
                     [&](int32_t v) { return v == edge.from || v == edge.to; });
}

void paint_edge(QPainter& painter, const GraphScene& scene, size_t e, bool strong, const ThemeColours& colours,
                const QRectF& visible, double scale) {
  const std::vector<QPointF>& curve = scene.layout->curves[e];
  if (curve.size() < 4) return;
  const QPainterPath path = path_of(curve);
  if (!path.controlPointRect().adjusted(-40, -10, 40, 10).intersects(visible)) return;
  const FoldedEdge& edge = scene.folded->edges[e];
  const QColor colour = strong ? colours.text : mixed(colours.axis, colours.dim_text, 0.45);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colour, strong ? 2.0 : edge.count > 1 ? 1.8 : 1.2));
  painter.drawPath(path);
  if (scale < kTextFrom) return;
  paint_arrow(painter, curve, colour);
  // An edge of the selection always shows its shape.
  EdgeBadge badge = e < scene.badges.size() ? scene.badges[e] : EdgeBadge();
  if (badge.text.isEmpty() || (strong && badge.text != edge_label(scene, edge, true))) {
    badge.text = edge_label(scene, edge, strong);
    badge.place = badge_at(path.pointAtPercent(0.5), badge.text);
  }
  if (!badge.text.isEmpty())
    paint_badge(painter, badge.place, badge.text, edge.views.empty() ? colour : colours[Role::View],
                edge.views.empty() ? Qt::SolidLine : Qt::DashLine, colours);
}

void paint_edges(QPainter& painter, const GraphScene& scene, const SceneMarks& marks, const ThemeColours& colours,
                 const QRectF& visible, double scale) {
  for (size_t e = 0; e < scene.layout->curves.size(); ++e)
    paint_edge(painter, scene, e, touches(scene.folded->edges[e], marks), colours, visible, scale);
}

// Maps scene coordinates to the minimap.
struct MinimapPlace {
  MinimapPlace(const GraphScene& scene, const QRectF& target)
      : inner(target.adjusted(4, 4, -4, -4)), bounds(scene.layout->bounds) {
    scale = std::min(inner.width() / bounds.width(), inner.height() / bounds.height());
    origin = {inner.center().x() - bounds.width() * scale / 2, inner.center().y() - bounds.height() * scale / 2};
  }
  QRectF operator()(const QRectF& r) const {
    return {origin + (r.topLeft() - bounds.topLeft()) * scale, r.size() * scale};
  }
  QRectF box(const GraphScene& scene, size_t v) const {
    QRectF r = (*this)(scene.rect_of(static_cast<int32_t>(v)));
    if (r.width() < 2) r.adjust(-0.5, 0, 1, 0);
    if (r.height() < 1) r.setHeight(1);
    return r;
  }
  QRectF inner, bounds;
  double scale = 1;
  QPointF origin;
};

}  // namespace

int chip_at(const GraphScene& scene, int32_t vertex, const QPointF& point) {
  if (!scene.ready() || vertex < 0) return -1;
  for (const ChipBox& chip : chip_boxes(scene.rect_of(vertex), scene.texts[static_cast<size_t>(vertex)].chips))
    if (chip.rect.contains(point)) return static_cast<int>(chip.index);
  return -1;
}

void paint_scene(QPainter& painter, const GraphScene& scene, const SceneMarks& marks, const ThemeColours& colours,
                 const QRectF& visible, double scale) {
  if (!scene.ready()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  paint_frames(painter, scene, colours, visible, scale);
  paint_edges(painter, scene, marks, colours, visible, scale);
  for (size_t v = 0; v < scene.folded->vertices.size(); ++v)
    if (scene.rect_of(static_cast<int32_t>(v)).adjusted(-8, -8, 8, 8).intersects(visible))
      paint_vertex(painter, scene, v, marks, colours, scale);
  painter.setOpacity(1);
}

namespace {

// A dashed arc next to the edges, with an arrow head.
void paint_link(QPainter& painter, const GraphScene& scene, const GradientLink& link, const ThemeColours& colours) {
  const QRectF a = scene.rect_of(link.from), b = scene.rect_of(link.to);
  const QPointF from(a.right(), a.center().y()), to(b.right(), b.center().y());
  const double bend = 40 + std::abs(to.y() - from.y()) * 0.15 + std::abs(to.x() - from.x()) * 0.3;
  QPainterPath path(from);
  path.cubicTo(from + QPointF(bend, 0), to + QPointF(bend, 0), to);
  using To = GradientLink::To;
  const QColor colour = colours[link.kind == To::Gradient ? Role::Allocation
                                : link.kind == To::Sum    ? Role::Weight
                                                          : Role::Output];
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colour, 1.8, link.kind == To::State ? Qt::DotLine : Qt::DashLine));
  painter.drawPath(path);
  painter.setPen(QPen(colour, 1.8));
  painter.drawLine(to, to + QPointF(8, -4));
  painter.drawLine(to, to + QPointF(8, 4));
}

}  // namespace

void paint_selected(QPainter& painter, const GraphScene& scene, const SceneMarks& marks, const ThemeColours& colours,
                    const QRectF& visible, double scale) {
  if (!scene.ready()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  if (!marks.selected.empty())
    for (size_t e = 0; e < scene.layout->curves.size(); ++e)
      if (touches(scene.folded->edges[e], marks)) paint_edge(painter, scene, e, true, colours, visible, scale);
  for (size_t v = 0; v < scene.folded->vertices.size(); ++v) {
    const auto& chips = scene.folded->vertices[v].chips;
    const bool chosen =
        std::find(marks.selected.begin(), marks.selected.end(), static_cast<int32_t>(v)) != marks.selected.end() ||
        (marks.leaf.valid() &&
         std::any_of(chips.begin(), chips.end(), [&](const Chip& chip) { return chip.leaf == marks.leaf; }));
    if (chosen && scene.rect_of(static_cast<int32_t>(v)).adjusted(-8, -8, 8, 8).intersects(visible))
      paint_vertex(painter, scene, v, marks, colours, scale);
  }
  painter.setOpacity(1);
  for (const GradientLink& link : marks.links) paint_link(painter, scene, link, colours);
}

void paint_minimap_selected(QPainter& painter, const GraphScene& scene, const SceneMarks& marks,
                            const ThemeColours& colours, const QRectF& target) {
  if (!scene.ready() || scene.layout->bounds.isEmpty()) return;
  const MinimapPlace place(scene, target);
  for (const int32_t v : marks.selected)
    painter.fillRect(place.box(scene, static_cast<size_t>(v)).intersected(place.inner), colours.selection_outer);
}

void paint_hovered(QPainter& painter, const GraphScene& scene, const SceneMarks& marks, const ThemeColours& colours) {
  if (!scene.ready() || marks.hovered < 0) return;
  if (std::find(marks.selected.begin(), marks.selected.end(), marks.hovered) != marks.selected.end()) return;
  const QRectF box = scene.rect_of(marks.hovered);
  if (box.isNull()) return;
  const bool folded = scene.folded->vertices[static_cast<size_t>(marks.hovered)].folded;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colours.hover, 1.5));
  painter.drawRoundedRect((folded ? box.adjusted(0, 0, -6, -6) : box).adjusted(-1.5, -1.5, 1.5, 1.5), 7, 7);
}

void paint_minimap(QPainter& painter, const GraphScene& scene, const ThemeColours& colours, const QRectF& target,
                   const QRectF& visible) {
  if (!scene.ready() || scene.layout->bounds.isEmpty()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(QPen(colours.axis, 1));
  painter.setBrush(Qt::NoBrush);
  QColor back = colours.panel;
  back.setAlpha(235);
  fill_at_once(&painter, target.toRect(), back);
  painter.drawRect(target.toRect());
  painter.setRenderHint(QPainter::Antialiasing);
  const MinimapPlace place(scene, target);
  painter.setClipRect(place.inner.adjusted(-1, -1, 1, 1));
  painter.setPen(Qt::NoPen);
  for (size_t v = 0; v < scene.folded->vertices.size(); ++v) {
    const bool current = v < scene.vertex_styles.size() && scene.vertex_styles[v].current;
    painter.fillRect(place.box(scene, v), current ? colours[Role::Work]
                                                  : (v < scene.vertex_styles.size()
                                                         ? mixed(scene.vertex_styles[v].fill, colours.dim_text, 0.25)
                                                         : colours.dim_text));
  }
  painter.setPen(QPen(colours.category(5), 1.4));
  QColor glass = colours.category(5);
  glass.setAlpha(28);
  const QRectF window = place(visible.intersected(place.bounds));
  painter.setRenderHint(QPainter::Antialiasing, false);
  fill_at_once(&painter, window.toRect(), glass);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(window);
  painter.restore();
}

double paint_legend(QPainter* painter, const GraphScene& scene, const ThemeColours& colours, const QSizeF& canvas) {
  if (scene.legend.empty()) return 0;
  const QFont font = graph_font(GraphFont::Small);
  const QFontMetricsF metrics(font);
  const double row = metrics.height() + 4, gap = 12;
  // Entries wrap like words; positions are computed first, because the height of the strip depends on them.
  std::vector<QPointF> positions;
  double x = 10 + metrics.horizontalAdvance(scene.legend_title) + gap, y = 0;
  for (const LegendEntry& entry : scene.legend) {
    const double width = 16 + metrics.horizontalAdvance(entry.text);
    if (x + width > canvas.width() - 8 && x > 10) {
      x = 10;
      y += row;
    }
    positions.push_back({x, y});
    x += width + gap;
  }
  const double height = y + row + 6;
  if (painter == nullptr) return height;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setFont(font);
  const QPointF origin(0, canvas.height() - height);
  painter->fillRect(QRectF(origin, QSizeF(canvas.width(), height)), colours.panel);
  painter->setPen(QPen(colours.grid, 1));
  painter->drawLine(origin, origin + QPointF(canvas.width(), 0));
  painter->setPen(colours.dim_text);
  painter->drawText(QRectF(origin.x() + 10, origin.y() + 3, canvas.width(), row), Qt::AlignVCenter, scene.legend_title);
  for (size_t i = 0; i < positions.size(); ++i) {
    const QPointF at = origin + positions[i] + QPointF(0, 3);
    painter->setPen(QPen(mixed(scene.legend[i].colour, colours.text, 0.25), 1));
    painter->setBrush(scene.legend[i].colour);
    painter->drawRoundedRect(QRectF(at.x(), at.y() + (row - 10) / 2, 11, 10), 2, 2);
    painter->setPen(colours.text);
    painter->drawText(QRectF(at.x() + 16, at.y(), canvas.width(), row), Qt::AlignVCenter, scene.legend[i].text);
  }
  painter->restore();
  return height;
}

}  // namespace arenascope::views
