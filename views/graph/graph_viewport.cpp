// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_viewport.h"

#include <algorithm>

namespace arenascope::views {
namespace {
constexpr double kMinScale = 0.02, kMaxScale = 4;
constexpr double kReadable = 0.85;  // a label of 11 pixels is more than 9 pixels tall at this scale
constexpr double kMargin = 14;
}  // namespace

GraphViewport::GraphViewport(const Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {}

double GraphViewport::legend_height() const {
  return height() > 200 ? paint_legend(nullptr, scene_, colours(), size()) : 0;
}

QRectF GraphViewport::area() const {
  const double map = minimap_shown() ? minimap_rect().width() + 16 : 0;
  return {0, 0, width() - map, height() - legend_height()};
}

QRectF GraphViewport::visible() const { return {to_scene(area().topLeft()), area().size() / scale_}; }

double GraphViewport::min_scale() const {
  if (!scene_.ready() || scene_.layout->bounds.isEmpty()) return kMinScale;
  const QSizeF bounds = scene_.layout->bounds.size();
  return std::min({kMinScale, width() * 0.8 / bounds.width(), height() * 0.8 / bounds.height()});
}

int32_t GraphViewport::vertex_at(const QPointF& widget) const {
  if (!scene_.ready() || !area().contains(widget)) return -1;
  const QPointF point = to_scene(widget);
  for (size_t v = scene_.folded->vertices.size(); v-- > 0;)
    if (scene_.rect_of(static_cast<int32_t>(v)).contains(point)) return static_cast<int32_t>(v);
  return -1;
}

int32_t GraphViewport::frame_at(const QPointF& widget) const {
  int32_t innermost = -1;  // nested layers have higher indices
  if (scene_.ready())
    for (const auto& [layer, frame] : scene_.layout->layers)
      if (frame.contains(to_scene(widget))) innermost = layer;
  return innermost;
}

void GraphViewport::keep_in_sight() {
  if (!scene_.ready()) return;
  const QRectF box(to_widget(scene_.layout->bounds.topLeft()), scene_.layout->bounds.size() * scale_);
  auto bounded = [&](double low, double length, double room) {
    const double keep = std::min(60.0, room / 3);
    return std::clamp(low, keep - length, room - keep) - low;
  };
  offset_ +=
      QPointF(bounded(box.left(), box.width(), area().width()), bounded(box.top(), box.height(), area().height()));
}

void GraphViewport::zoom(double factor, const QPointF& around) {
  const QPointF fixed = to_scene(around);
  scale_ = std::clamp(scale_ * factor, std::min(min_scale(), scale_), kMaxScale);
  offset_ = around - fixed * scale_;
  keep_in_sight();
  refresh();
}

void GraphViewport::set_view(double scale, const QPointF& offset) {
  scale_ = std::clamp(scale, min_scale(), kMaxScale);
  offset_ = offset;
  keep_in_sight();
  refresh();
}

void GraphViewport::fit() {
  if (!scene_.ready() || scene_.layout->bounds.isEmpty()) return;
  const QRectF bounds = scene_.layout->bounds;
  // The whole graph above the legend, however small.
  const QRectF room = QRectF(rect()).adjusted(kMargin, kMargin, -kMargin, -kMargin - legend_height());
  scale_ = std::min({room.width() / bounds.width(), room.height() / bounds.height(), 1.0});
  offset_ = room.center() - bounds.center() * scale_;
  refresh();
}

void GraphViewport::show_overview() {
  if (!scene_.ready() || scene_.layout->bounds.isEmpty()) return;
  const QRectF bounds = scene_.layout->bounds;
  constexpr double kLegible = 0.45;  // scale at which a label is legible
  constexpr double kDistinct = 0.2;  // scale at which a box is distinct from its neighbours
  const QSizeF whole(width() - 2 * kMargin, height() - 2 * kMargin - legend_height());
  const double all = std::min(whole.width() / bounds.width(), whole.height() / bounds.height());
  const bool tall =
      whole.width() >= kDistinct * bounds.width();  // its full width can be shown, and the minimap the rest
  if ((all < 1 && all >= kLegible) || !tall) return fit();
  auto fit_into = [&](double room) {
    scale_ = std::clamp((room - 2 * kMargin) / bounds.width(), kDistinct, 1.0);
    offset_ = QPointF(std::max(room / 2.0 - bounds.center().x() * scale_, kMargin - bounds.left() * scale_),
                      kMargin - bounds.top() * scale_);
  };
  fit_into(width());
  if (minimap_shown()) fit_into(area().width());
  refresh();
}

NodeId GraphViewport::central_node() const {
  if (!scene_.ready()) return NodeId::none();
  const QPointF middle = visible().center();
  NodeId nearest;
  double least = 1e300;
  for (size_t v = 0; v < scene_.folded->vertices.size(); ++v) {
    const double far = QLineF(scene_.layout->centres[v], middle).length();
    if (far >= least) continue;
    least = far;
    nearest = scene_.folded->vertices[v].nodes.empty() ? NodeId::none() : scene_.folded->vertices[v].nodes.front();
  }
  return nearest;
}

void GraphViewport::show_vertex(int32_t vertex, bool centre) {
  const QRectF box = scene_.rect_of(vertex);
  if (box.isNull()) return;
  const auto before = std::make_pair(scale_, offset_);
  if (centre && scale_ < kReadable) {  // navigation targets must be readable
    scale_ = kReadable;
    offset_ = area().center() - box.center() * scale_;
  }
  const QRectF seen(to_widget(box.topLeft()), box.size() * scale_);
  const QRectF room = area().adjusted(kMargin, kMargin, -kMargin, -kMargin);
  if (centre && !room.contains(seen)) {
    offset_ += room.center() - seen.center();
  } else if (!room.contains(seen)) {
    if (seen.left() < room.left() || seen.width() > room.width())
      offset_.rx() += room.left() - seen.left();
    else if (seen.right() > room.right())
      offset_.rx() += room.right() - seen.right();
    if (seen.top() < room.top())
      offset_.ry() += room.top() - seen.top();
    else if (seen.bottom() > room.bottom())
      offset_.ry() += room.bottom() - seen.bottom();
  }
  if (before != std::make_pair(scale_, offset_)) refresh();
}

bool GraphViewport::any_vertex_visible() const {
  const QRectF seen = visible();
  for (size_t v = 0; scene_.ready() && v < scene_.folded->vertices.size(); ++v)
    if (seen.intersects(scene_.rect_of(static_cast<int32_t>(v)))) return true;
  return false;
}

void GraphViewport::keep_position(const QPointF& scene_before, const QPointF& scene_now) {
  offset_ += (scene_before - scene_now) * scale_;
  keep_in_sight();
  refresh();
}

bool GraphViewport::minimap_shown() const {
  if (!scene_.ready() || width() < 220 || height() < 200) return false;
  const QRectF seen(to_widget(scene_.layout->bounds.topLeft()), scene_.layout->bounds.size() * scale_);
  return !QRectF(0, 0, width(), height() - legend_height()).adjusted(-2, -2, 2, 2).contains(seen);
}

QRectF GraphViewport::minimap_rect() const {
  if (!scene_.ready()) return {};
  const QRectF bounds = scene_.layout->bounds;
  const double room_x = std::min(120.0, width() * 0.2), room_y = std::min(260.0, height() * 0.45);
  const double scale = std::min(room_x / std::max(bounds.width(), 1.0), room_y / std::max(bounds.height(), 1.0));
  // Networks are long and thin: keep the minimap wide enough to be clicked.
  const double w = std::max(bounds.width() * scale, 26.0) + 8, h = std::max(bounds.height() * scale, 34.0) + 8;
  return {width() - w - 8, height() - legend_height() - h - 8, w, h};
}

void GraphViewport::move_to(const QPointF& offset) {
  offset_ = offset;
  keep_in_sight();
  refresh();
}

void GraphViewport::show_point(const QPointF& scene) { move_to(area().center() - scene * scale_); }

}  // namespace arenascope::views
