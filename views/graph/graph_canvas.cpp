// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_canvas.h"

#include <views/common/format.h>
#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>

namespace arenascope::views {
namespace {
constexpr double kMinScale = 0.02, kMaxScale = 4;
constexpr double kReadable = 0.85;  // at which a label of 11 pixels is more than 9 tall
constexpr double kMargin = 14;
}  // namespace

GraphCanvas::GraphCanvas(const Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Graph"));
  setAccessibleDescription(tr("The network as boxes and arrows. The table “Nodes” tells the same."));
  setMinimumSize(160, 120);
}

void GraphCanvas::set_busy(const QString& text) {
  busy_ = text;
  update();
}

QRectF GraphCanvas::visible() const { return {to_scene({0, 0}), QSizeF(size()) / scale_}; }

int32_t GraphCanvas::vertex_at(const QPointF& widget) const {
  if (!scene_.ready()) return -1;
  const QPointF point = to_scene(widget);
  for (size_t v = scene_.folded->vertices.size(); v-- > 0;)
    if (scene_.rect_of(static_cast<int32_t>(v)).contains(point)) return static_cast<int32_t>(v);
  return -1;
}

void GraphCanvas::keep_in_sight() {
  if (!scene_.ready()) return;
  const QRectF box(to_widget(scene_.layout->bounds.topLeft()), scene_.layout->bounds.size() * scale_);
  auto bounded = [&](double low, double length, double room) {
    const double keep = std::min(60.0, room / 3);
    return std::clamp(low, keep - length, room - keep) - low;
  };
  offset_ += QPointF(bounded(box.left(), box.width(), width()), bounded(box.top(), box.height(), height()));
}

void GraphCanvas::zoom(double factor, const QPointF& around) {
  const QPointF fixed = to_scene(around);
  scale_ = std::clamp(scale_ * factor, kMinScale, kMaxScale);
  offset_ = around - fixed * scale_;
  keep_in_sight();
  update();
}

void GraphCanvas::set_place(double scale, const QPointF& offset) {
  scale_ = std::clamp(scale, kMinScale, kMaxScale);
  offset_ = offset;
  keep_in_sight();
  update();
}

void GraphCanvas::fit() {
  if (!scene_.ready() || scene_.layout->bounds.isEmpty()) return;
  const QRectF bounds = scene_.layout->bounds;
  // All of it, however small, above the legend.
  const double legend = height() > 200 ? paint_legend(nullptr, scene_, theme_->colours(), size()) : 0;
  const QRectF room = QRectF(rect()).adjusted(kMargin, kMargin, -kMargin, -kMargin - legend);
  scale_ = std::min({room.width() / bounds.width(), room.height() / bounds.height(), 1.0});
  offset_ = room.center() - bounds.center() * scale_;
  update();
}

void GraphCanvas::fit_width() {
  if (!scene_.ready() || scene_.layout->bounds.isEmpty()) return;
  const QRectF bounds = scene_.layout->bounds;
  auto fit_into = [&](double room) {
    scale_ = std::clamp((room - 2 * kMargin) / bounds.width(), 0.45, 1.0);
    offset_ = QPointF(room / 2.0 - bounds.center().x() * scale_, kMargin - bounds.top() * scale_);
  };
  fit_into(width());
  // Beside the minimap, so that it hides nothing, where that leaves the boxes large enough to be read.
  const double beside = width() - minimap_rect().width() - 8;
  if (minimap_shown() && bounds.width() * 0.7 < beside - 2 * kMargin) fit_into(beside);
  update();
}

void GraphCanvas::show_vertex(int32_t vertex, bool centre) {
  const QRectF box = scene_.rect_of(vertex);
  if (box.isNull()) return;
  if (centre && scale_ < kReadable) {  // where one is led is large enough to be read
    scale_ = kReadable;
    offset_ = QRectF(rect()).center() - box.center() * scale_;
  }
  const QRectF seen(to_widget(box.topLeft()), box.size() * scale_);
  const QRectF room = QRectF(rect()).adjusted(kMargin, kMargin, -kMargin, -kMargin - 24);  // less the legend
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
  update();
}

bool GraphCanvas::shows_something() const {
  const QRectF seen = visible();
  for (size_t v = 0; scene_.ready() && v < scene_.folded->vertices.size(); ++v)
    if (seen.intersects(scene_.rect_of(static_cast<int32_t>(v)))) return true;
  return false;
}

void GraphCanvas::hold(const QPointF& scene_before, const QPointF& scene_now) {
  offset_ += (scene_before - scene_now) * scale_;
  keep_in_sight();
  update();
}

bool GraphCanvas::minimap_shown() const {
  if (!scene_.ready() || width() < 220 || height() < 200) return false;
  return !visible().adjusted(-2, -2, 2, 2).contains(scene_.layout->bounds);
}

QRectF GraphCanvas::minimap_rect() const {
  if (!scene_.ready()) return {};
  const QRectF bounds = scene_.layout->bounds;
  const double room_x = std::min(120.0, width() * 0.2), room_y = std::min(260.0, height() * 0.45);
  const double scale = std::min(room_x / std::max(bounds.width(), 1.0), room_y / std::max(bounds.height(), 1.0));
  // A network is long and thin: keep the map wide enough to be hit with a mouse.
  const double w = std::max(bounds.width() * scale, 26.0) + 8, h = std::max(bounds.height() * scale, 34.0) + 8;
  const double legend = height() > 200 ? paint_legend(nullptr, scene_, theme_->colours(), size()) : 0;
  return {width() - w - 8, height() - legend - h - 8, w, h};
}

void GraphCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const ThemeColours& colours = theme_->colours();
  painter.fillRect(rect(), colours.background);
  if (scene_.ready() && !scene_.folded->vertices.empty()) {
    painter.save();
    painter.translate(offset_);
    painter.scale(scale_, scale_);
    paint_scene(painter, scene_, marks_, colours, visible(), scale_);
    painter.restore();
    if (minimap_shown()) paint_minimap(painter, scene_, marks_, colours, minimap_rect(), visible());
    if (height() > 200) paint_legend(&painter, scene_, colours, size());
  } else if (busy_.isEmpty()) {
    painter.setPen(colours.dim_text);
    painter.drawText(
        rect().adjusted(20, 20, -20, -20), Qt::AlignCenter | Qt::TextWordWrap,
        scene_.info ? tr("This graph has no nodes.") : tr("Open a model or a recording to see its graph."));
  }
  if (!busy_.isEmpty()) {
    const QRectF box(width() / 2.0 - 110, 10, 220, 26);
    painter.setPen(QPen(colours.axis));
    painter.setBrush(colours.panel);
    painter.drawRoundedRect(box, 5, 5);
    painter.setPen(colours.text);
    painter.drawText(box, Qt::AlignCenter, busy_);
  }
}

void GraphCanvas::jump_in_minimap(const QPointF& widget) {
  const QRectF inner = minimap_rect().adjusted(4, 4, -4, -4), bounds = scene_.layout->bounds;
  const double scale = std::min(inner.width() / bounds.width(), inner.height() / bounds.height());
  const QPointF target = bounds.center() + (widget - inner.center()) / scale;
  offset_ = QRectF(rect()).center() - target * scale_;
  keep_in_sight();
  update();
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
  press_ = event->position();
  press_offset_ = offset_;
  if (event->button() == Qt::MiddleButton) {
    drag_ = Drag::Pan;
  } else if (event->button() == Qt::LeftButton) {
    drag_ = minimap_shown() && minimap_rect().contains(press_) ? Drag::Minimap : Drag::Press;
    if (drag_ == Drag::Minimap) jump_in_minimap(press_);
  }
}

void GraphCanvas::set_hovered(int32_t vertex) {
  if (marks_.hovered == vertex) return;
  marks_.hovered = vertex;
  update();
  Q_EMIT vertex_hovered(vertex);
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF moved = event->position() - press_;
  switch (drag_) {
    case Drag::None: set_hovered(vertex_at(event->position())); return;
    case Drag::Minimap: jump_in_minimap(event->position()); return;
    case Drag::Press:
      if (moved.manhattanLength() < QApplication::startDragDistance()) return;
      drag_ = Drag::Pan;
      setCursor(Qt::ClosedHandCursor);
      [[fallthrough]];
    case Drag::Pan:
      offset_ = press_offset_ + moved;
      keep_in_sight();
      update();
  }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = std::exchange(drag_, Drag::None);
  unsetCursor();
  if (drag != Drag::Press || event->button() != Qt::LeftButton) return;
  const int32_t vertex = vertex_at(event->position());
  if (vertex < 0) {
    Q_EMIT background_clicked();
    return;
  }
  const int chip = scale_ < 0.42 ? -1 : chip_at(scene_, vertex, to_scene(event->position()));
  if (chip >= 0)
    Q_EMIT leaf_clicked(
        scene_.folded->vertices[static_cast<size_t>(vertex)].chips[static_cast<size_t>(chip)].leaf.value);
  else
    Q_EMIT vertex_clicked(vertex);
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !scene_.ready()) return;
  if (const int32_t vertex = vertex_at(event->position()); vertex >= 0) {
    Q_EMIT vertex_activated(vertex);
    return;
  }
  for (const auto& [layer, frame] : scene_.layout->layers)
    if (frame.contains(to_scene(event->position()))) {
      Q_EMIT frame_activated(layer);
      return;
    }
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
  Q_EMIT context_menu_wanted(vertex_at(event->pos()), event->globalPos());
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
  if ((event->modifiers() & Qt::ControlModifier) != 0) {
    zoom(std::pow(1.0015, event->angleDelta().y()), event->position());
  } else {
    const QPointF delta =
        event->pixelDelta().isNull() ? QPointF(event->angleDelta()) * 0.6 : QPointF(event->pixelDelta());
    offset_ += (event->modifiers() & Qt::ShiftModifier) != 0 ? QPointF(delta.y(), delta.x()) : delta;
    keep_in_sight();
    update();
  }
  event->accept();
}

void GraphCanvas::leaveEvent(QEvent*) { set_hovered(-1); }

void GraphCanvas::resizeEvent(QResizeEvent* event) {
  if (event->oldSize().isValid() && event->oldSize().width() > 0)
    offset_.rx() += (event->size().width() - event->oldSize().width()) / 2.0;
  keep_in_sight();
}

QString GraphCanvas::tool_tip(int32_t v, const QPointF& point) const {
  const Vertex& vertex = scene_.folded->vertices[static_cast<size_t>(v)];
  if (vertex.folded) {
    const VertexText& texts = scene_.texts[static_cast<size_t>(v)];
    return texts.title + QStringLiteral("\n") + texts.second + QStringLiteral("\n") + tr("Double click to expand");
  }
  auto describe = [](const trace::TensorInfo& t, const QString& title) {
    return title + QStringLiteral("\n") + format_shape(t.shape) + QStringLiteral("  ") +
           QString::fromStdString(t.dtype) + QStringLiteral("\n") + format_bytes_exact(t.bytes);
  };
  if (const int chip = chip_at(scene_, v, point); chip >= 0) {
    const LeafId leaf = vertex.chips[static_cast<size_t>(chip)].leaf;
    const trace::TensorInfo& info = scene_.info->leafs[leaf.index()];
    return describe(info, tensor_title(info, trace::TensorRef::leaf(leaf)));
  }
  const trace::TensorInfo& node = scene_.info->nodes[vertex.node.index()];
  return describe(node, tensor_title(node, trace::TensorRef::node(vertex.node)));
}

bool GraphCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const int32_t vertex = vertex_at(help->pos());
    if (vertex >= 0)
      QToolTip::showText(help->globalPos(), tool_tip(vertex, to_scene(help->pos())), this);
    else
      QToolTip::hideText();
    return true;
  }
  return QWidget::event(event);
}

}  // namespace arenascope::views
