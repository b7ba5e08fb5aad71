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

void GraphCanvas::set_scene(GraphScene scene) {
  scene_ = std::move(scene);
  refresh();
}

void GraphCanvas::refresh() {
  stale_ = true;
  update();
}

double GraphCanvas::legend_height() const {
  return height() > 200 ? paint_legend(nullptr, scene_, theme_->colours(), size()) : 0;
}

QRectF GraphCanvas::area() const {
  const double map = minimap_shown() ? minimap_rect().width() + 16 : 0;
  return {0, 0, width() - map, height() - legend_height()};
}

QRectF GraphCanvas::visible() const { return {to_scene(area().topLeft()), area().size() / scale_}; }

double GraphCanvas::least_scale() const {
  if (!scene_.ready() || scene_.layout->bounds.isEmpty()) return kMinScale;
  const QSizeF bounds = scene_.layout->bounds.size();
  return std::min({kMinScale, width() * 0.8 / bounds.width(), height() * 0.8 / bounds.height()});
}

int32_t GraphCanvas::vertex_at(const QPointF& widget) const {
  if (!scene_.ready() || !area().contains(widget)) return -1;
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
  offset_ +=
      QPointF(bounded(box.left(), box.width(), area().width()), bounded(box.top(), box.height(), area().height()));
}

void GraphCanvas::zoom(double factor, const QPointF& around) {
  const QPointF fixed = to_scene(around);
  scale_ = std::clamp(scale_ * factor, std::min(least_scale(), scale_), kMaxScale);
  offset_ = around - fixed * scale_;
  keep_in_sight();
  refresh();
}

void GraphCanvas::set_place(double scale, const QPointF& offset) {
  scale_ = std::clamp(scale, least_scale(), kMaxScale);
  offset_ = offset;
  keep_in_sight();
  refresh();
}

void GraphCanvas::fit() {
  if (!scene_.ready() || scene_.layout->bounds.isEmpty()) return;
  const QRectF bounds = scene_.layout->bounds;
  // All of it, however small, above the legend.
  const QRectF room = QRectF(rect()).adjusted(kMargin, kMargin, -kMargin, -kMargin - legend_height());
  scale_ = std::min({room.width() / bounds.width(), room.height() / bounds.height(), 1.0});
  offset_ = room.center() - bounds.center() * scale_;
  refresh();
}

void GraphCanvas::fit_width() {
  if (!scene_.ready() || scene_.layout->bounds.isEmpty()) return;
  const QRectF bounds = scene_.layout->bounds;
  auto fit_into = [&](double room) {
    scale_ = std::clamp((room - 2 * kMargin) / bounds.width(), 0.45, 1.0);
    offset_ = QPointF(std::max(room / 2.0 - bounds.center().x() * scale_, kMargin - bounds.left() * scale_),
                      kMargin - bounds.top() * scale_);
  };
  fit_into(width());
  if (minimap_shown()) fit_into(area().width());
  refresh();
}

NodeId GraphCanvas::node_in_the_middle() const {
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

void GraphCanvas::show_vertex(int32_t vertex, bool centre) {
  const QRectF box = scene_.rect_of(vertex);
  if (box.isNull()) return;
  if (centre && scale_ < kReadable) {  // where one is led is large enough to be read
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
  refresh();
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
  refresh();
}

bool GraphCanvas::minimap_shown() const {
  if (!scene_.ready() || width() < 220 || height() < 200) return false;
  const QRectF seen(to_widget(scene_.layout->bounds.topLeft()), scene_.layout->bounds.size() * scale_);
  return !QRectF(0, 0, width(), height() - legend_height()).adjusted(-2, -2, 2, 2).contains(seen);
}

QRectF GraphCanvas::minimap_rect() const {
  if (!scene_.ready()) return {};
  const QRectF bounds = scene_.layout->bounds;
  const double room_x = std::min(120.0, width() * 0.2), room_y = std::min(260.0, height() * 0.45);
  const double scale = std::min(room_x / std::max(bounds.width(), 1.0), room_y / std::max(bounds.height(), 1.0));
  // A network is long and thin: keep the map wide enough to be hit with a mouse.
  const double w = std::max(bounds.width() * scale, 26.0) + 8, h = std::max(bounds.height() * scale, 34.0) + 8;
  return {width() - w - 8, height() - legend_height() - h - 8, w, h};
}

void GraphCanvas::paint_picture(QPainter& painter) {
  const ThemeColours& colours = theme_->colours();
  painter.fillRect(rect(), colours.background);
  if (!scene_.ready() || scene_.folded->vertices.empty()) return;
  SceneMarks marks = marks_;
  marks.hovered = -1;
  painter.save();
  painter.setClipRect(area());
  painter.translate(offset_);
  painter.scale(scale_, scale_);
  paint_scene(painter, scene_, marks, colours, visible(), scale_);
  painter.restore();
  if (minimap_shown()) paint_minimap(painter, scene_, marks, colours, minimap_rect(), visible());
  if (height() > 200) paint_legend(&painter, scene_, colours, size());
}

void GraphCanvas::paintEvent(QPaintEvent*) {
  const ThemeColours& colours = theme_->colours();
  const QSize pixels = (QSizeF(size()) * devicePixelRatioF()).toSize();
  if (stale_ || picture_.size() != pixels) {
    picture_ = QPixmap(pixels);
    picture_.setDevicePixelRatio(devicePixelRatioF());
    QPainter onto(&picture_);
    onto.setFont(font());
    paint_picture(onto);
    stale_ = false;
  }
  QPainter painter(this);
  painter.drawPixmap(0, 0, picture_);
  if (scene_.ready() && marks_.hovered >= 0) {
    painter.save();
    painter.setClipRect(area());
    painter.translate(offset_);
    painter.scale(scale_, scale_);
    paint_hovered(painter, scene_, marks_, colours);
    painter.restore();
  }
  if (!(scene_.ready() && !scene_.folded->vertices.empty()) && busy_.isEmpty()) {
    painter.setPen(colours.dim_text);
    painter.drawText(rect().adjusted(20, 20, -20, -20), Qt::AlignCenter | Qt::TextWordWrap,
                     scene_.info
                         ? tr("This graph has no nodes.")
                         : tr("No graph: a model or a recording of one has it, a trace of another program has none."));
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
  offset_ = area().center() - target * scale_;
  keep_in_sight();
  refresh();
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
  if (std::exchange(marks_.hovered, vertex) != vertex) update();
}

int32_t GraphCanvas::frame_at(const QPointF& widget) const {
  if (scene_.ready())
    for (const auto& [layer, frame] : scene_.layout->layers)
      if (frame.contains(to_scene(widget))) return layer;
  return -1;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF moved = event->position() - press_;
  switch (drag_) {
    case Drag::None:
      if (const int32_t v = vertex_at(event->position()); v != marks_.hovered) {
        set_hovered(v);
        Q_EMIT vertex_hovered(v);
      }
      return;
    case Drag::Minimap: jump_in_minimap(event->position()); return;
    case Drag::Press:
      if (moved.manhattanLength() < QApplication::startDragDistance()) return;
      drag_ = Drag::Pan;
      setCursor(Qt::ClosedHandCursor);
      [[fallthrough]];
    case Drag::Pan:
      offset_ = press_offset_ + moved;
      keep_in_sight();
      refresh();
  }
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = std::exchange(drag_, Drag::None);
  unsetCursor();
  if (drag != Drag::Press || event->button() != Qt::LeftButton) return;
  const int32_t vertex = vertex_at(event->position());
  if (vertex < 0) {
    if (const int32_t layer = frame_at(event->position()); layer >= 0) {
      Q_EMIT frame_clicked(layer);
    } else {
      Q_EMIT background_clicked();
    }
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
  if (const int32_t layer = frame_at(event->position()); layer >= 0) Q_EMIT frame_activated(layer);
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
    refresh();
  }
  event->accept();
}

void GraphCanvas::leaveEvent(QEvent*) {
  set_hovered(-1);
  Q_EMIT vertex_hovered(-1);
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
  if (event->oldSize().isValid() && event->oldSize().width() > 0)
    offset_.rx() += (event->size().width() - event->oldSize().width()) / 2.0;
  keep_in_sight();
  refresh();
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
