// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_canvas.h"

#include <arenascope/trace/unknown_size.h>
#include <views/common/format.h>
#include <QApplication>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>

namespace arenascope::views {
GraphCanvas::GraphCanvas(const Theme* theme, QWidget* parent) : GraphViewport(theme, parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Graph"));
  setAccessibleDescription(tr("The network as boxes and arrows. The “Nodes” table has the same content."));
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

void GraphCanvas::set_marks(SceneMarks marks) {
  if (marks.breakpoints != marks_.breakpoints) stale_ = true;
  marks_ = std::move(marks);
  update();
}

void GraphCanvas::refresh() {
  stale_ = true;
  update();
}

void GraphCanvas::paint_picture(QPainter& painter) {
  const ThemeColours& colours = this->colours();
  painter.fillRect(rect(), colours.background);
  if (!scene_.ready() || scene_.folded->vertices.empty()) return;
  SceneMarks marks;  // selected and hovered items are drawn over it
  marks.breakpoints = marks_.breakpoints;
  painter.save();
  painter.setClipRect(area());
  painter.translate(offset());
  painter.scale(scale(), scale());
  paint_scene(painter, scene_, marks, colours, visible(), scale());
  painter.restore();
  if (minimap_shown()) paint_minimap(painter, scene_, colours, minimap_rect(), visible());
  if (height() > 200) paint_legend(&painter, scene_, colours, size());
}

void GraphCanvas::paintEvent(QPaintEvent*) {
  const ThemeColours& colours = this->colours();
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
  if (scene_.ready() && (marks_.hovered >= 0 || !marks_.selected.empty() || marks_.leaf.valid())) {
    painter.save();
    painter.setFont(font());
    painter.setClipRect(area());
    painter.translate(offset());
    painter.scale(scale(), scale());
    paint_selected(painter, scene_, marks_, colours, visible(), scale());
    if (marks_.hovered >= 0) paint_hovered(painter, scene_, marks_, colours);
    painter.restore();
    if (minimap_shown()) paint_minimap_selected(painter, scene_, marks_, colours, minimap_rect());
  }
  if (!(scene_.ready() && !scene_.folded->vertices.empty()) && busy_.isEmpty()) {
    painter.setPen(colours.dim_text);
    painter.drawText(rect().adjusted(20, 20, -20, -20), Qt::AlignCenter | Qt::TextWordWrap,
                     scene_.info ? tr("This graph has no nodes.") : tr("This file contains no graph."));
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
  show_point(bounds.center() + (widget - inner.center()) / scale);
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
  press_ = event->position();
  press_offset_ = offset();
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
    case Drag::Pan: move_to(press_offset_ + moved);
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
  const int chip = scale() < 0.42 ? -1 : chip_at(scene_, vertex, to_scene(event->position()));
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
  Q_EMIT context_menu_requested(vertex_at(event->pos()), event->globalPos());
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
  if ((event->modifiers() & Qt::ControlModifier) != 0) {
    zoom(std::pow(1.0015, event->angleDelta().y()), event->position());
  } else {
    const QPointF delta =
        event->pixelDelta().isNull() ? QPointF(event->angleDelta()) * 0.6 : QPointF(event->pixelDelta());
    move_to(offset() + ((event->modifiers() & Qt::ShiftModifier) != 0 ? QPointF(delta.y(), delta.x()) : delta));
  }
  event->accept();
}

void GraphCanvas::leaveEvent(QEvent*) {
  set_hovered(-1);
  Q_EMIT vertex_hovered(-1);
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
  const int width = event->oldSize().width();
  if (!event->oldSize().isValid() || width <= 0) return move_to(offset());
  // Sizes in between, while panels are rearranged, limit the offset: they must not move the centre.
  if (offset().x() != resized_offset_) centre_ = to_scene(QPointF(width / 2.0, 0)).x();
  move_to({event->size().width() / 2.0 - centre_ * scale(), offset().y()});
  resized_offset_ = offset().x();
}

FigureText GraphCanvas::tip(int32_t v, const QPointF& point) const {
  FigureText text = tip_text(v, point);
  const auto& only_in_b = scene_.vertex_styles[static_cast<size_t>(v)].only_in_b;
  if (!only_in_b.empty()) {
    const QStringList names(only_in_b.begin(),
                            only_in_b.begin() + static_cast<qsizetype>(std::min<size_t>(only_in_b.size(), 8)));
    text.line(with_parts(tr("only in B: %1"), {FigureText{names.join(QStringLiteral(", ")), {}, names}}));
  }
  return text;
}

FigureText GraphCanvas::tip_text(int32_t v, const QPointF& point) const {
  const Vertex& vertex = scene_.folded->vertices[static_cast<size_t>(v)];
  const trace::GraphInfo& graph = *scene_.info;
  if (vertex.folded) {
    Bytes bytes = 0;
    for (const NodeId node : vertex.nodes) bytes += graph.nodes[node.index()].bytes;
    const std::string of = "graph." + std::to_string(graph.id.value);
    const auto count = static_cast<int>(vertex.nodes.size());
    const Figure nodes = figure(nodes_figure(of, graph, vertex.nodes, "nodes"), count, FigureUnit::Number);
    FigureText sums{tr("%n node(s)", nullptr, count), {nodes}, {}};
    sums.add(figure_text(
                 figure(nodes_figure(of, graph, vertex.nodes, "bytes"), static_cast<double>(bytes), FigureUnit::Bytes)),
             QStringLiteral(" · "));
    return name_text(scene_.texts[static_cast<size_t>(v)].title)
        .line(sums)
        .line(plain_text(tr("Double click to expand")));
  }
  const auto describe = [&](const trace::TensorInfo& t, trace::TensorRef ref) {
    FigureText shape = shape_text(graph.id, ref, t);
    if (trace::has_unknown_size(t)) return title_text(t, ref).line(shape);
    shape.add(name_text(QString::fromStdString(t.dtype)), QStringLiteral("  "));
    return title_text(t, ref).line(shape).line(exact_text(tensor_figure(graph.id, ref, "bytes"), t.bytes));
  };
  if (const int chip = chip_at(scene_, v, point); chip >= 0) {
    const LeafId leaf = vertex.chips[static_cast<size_t>(chip)].leaf;
    return describe(graph.leafs[leaf.index()], trace::TensorRef::leaf(leaf));
  }
  return describe(graph.nodes[vertex.node.index()], trace::TensorRef::node(vertex.node));
}

bool GraphCanvas::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const int32_t vertex = vertex_at(help->pos());
    if (vertex >= 0)
      QToolTip::showText(help->globalPos(), tip(vertex, to_scene(help->pos())).text, this);
    else
      QToolTip::hideText();
    return true;
  }
  return QWidget::event(event);
}

}  // namespace arenascope::views
