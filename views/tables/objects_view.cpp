// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/tables/objects_view.h>

#include <views/common/format.h>
#include <views/tables/object_parts.h>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace arenascope::views {
namespace {
constexpr double kRow = 40, kGap = 6, kLeft = 78, kTop = 34;

}  // namespace

ObjectsView::ObjectsView(SessionSource* source, SelectionModel* selection, Theme* theme, QWidget* parent)
    : QAbstractScrollArea(parent), source_(source), selection_(selection), theme_(theme) {
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(tr("Objects"));
  setAccessibleDescription(tr("Bytes of the context's pool. The table next to it has the same content."));
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  listen();
  connect(theme_, &Theme::changed, viewport(), qOverload<>(&QWidget::update));
  take();
}

void ObjectsView::set_context(const ViewContext& context) {
  source_ = context.source;
  selection_ = context.selection;
  listen();
  take();
  viewport()->update();
}

void ObjectsView::listen() {
  QObject* connections = connections_.reset();
  connect(source_, &SessionSource::changed, connections, [this] { take(); });
  connect(selection_, &SelectionModel::current_changed, connections, [this] {
    const trace::TensorRef ref = tensor_of(selection_->current(), *source_->snapshot());
    for (const Box& box : boxes_)
      if (ref.valid() && tensor_of_object(box.object) == ref) {
        const int y = static_cast<int>(box.rect.top());
        if (y < verticalScrollBar()->value() || y + kRow > verticalScrollBar()->value() + viewport()->height())
          verticalScrollBar()->setValue(y - viewport()->height() / 2);
        break;
      }
    viewport()->update();
  });
}

void ObjectsView::take() {
  const auto& contexts = source_->snapshot()->contexts;
  const auto context = contexts.empty() ? nullptr : contexts.back();
  const trace::GraphId id = source_->graph_id();
  const auto graph =
      id.valid() && id.index() < source_->snapshot()->graphs.size() ? source_->snapshot()->graphs[id.index()] : nullptr;
  if (context == context_ && graph == graph_) return;
  graph_ = graph;
  context_ = context;
  tensors_.clear();
  if (context_ && graph_) {
    std::unordered_map<std::string_view, trace::TensorRef> by_name;
    for (size_t i = 0; i < graph_->nodes.size(); ++i)
      by_name.try_emplace(graph_->nodes[i].name, trace::TensorRef::node(NodeId(i)));
    for (size_t i = 0; i < graph_->leafs.size(); ++i)
      by_name.try_emplace(graph_->leafs[i].name, trace::TensorRef::leaf(LeafId(i)));
    for (const trace::ObjectInfo& object : context_->objects) {
      const auto it = object.name.empty() ? by_name.end() : by_name.find(object.name);
      tensors_.push_back(it == by_name.end() ? trace::TensorRef() : it->second);
    }
  }
  boxes_ = boxes(viewport()->width());
  update_scroll_bar();
  viewport()->update();
}

trace::TensorRef ObjectsView::tensor_of_object(int object) const {
  return object < 0 || static_cast<size_t>(object) >= tensors_.size() ? trace::TensorRef()
                                                                      : tensors_[static_cast<size_t>(object)];
}

// Widths are proportional to the square root of the bytes: a header of 40 bytes stays visible in a pool of megabytes.
std::vector<ObjectsView::Box> ObjectsView::boxes(int width) const {
  std::vector<Box> result;
  if (!context_) return result;
  double x = kLeft, y = kTop;
  for (size_t i = 0; i < context_->objects.size(); ++i) {
    const trace::ObjectInfo& object = context_->objects[i];
    const double header =
        std::clamp(std::sqrt(static_cast<double>(std::max<Bytes>(object.header_size, 0))) * 1.7, 8.0, 40.0);
    const double payload =
        std::clamp(std::sqrt(static_cast<double>(std::max<Bytes>(object.size, 0))) * 4.2, 40.0, 260.0);
    const double w = header + payload;
    if (x + w > width - 12 && x > kLeft) {
      x = kLeft;
      y += kRow + kGap;
    }
    result.push_back({QRectF(x, y, w, kRow - 8), static_cast<int>(i), header});
    x += w + kGap;
  }
  return result;
}

void ObjectsView::update_scroll_bar() {
  const double height = boxes_.empty() ? 0 : boxes_.back().rect.bottom() + 12;
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(height) - viewport()->height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(static_cast<int>(kRow));
}

void ObjectsView::resizeEvent(QResizeEvent*) {
  boxes_ = boxes(viewport()->width());
  update_scroll_bar();
}

// The scratch buffer, a separate buffer that receives tensor data while it is set.
QString ObjectsView::scratch_text() const {
  return context_->scratch_bytes > 0
             ? tr(", scratch on: %1 of %2 used")
                   .arg(format_bytes(context_->scratch_used), format_bytes(context_->scratch_bytes))
             : QString();
}

void ObjectsView::draw(QPainter& painter, const std::vector<Box>& all, QSize size, int from) const {
  const ThemeColours& colours = theme_->colours();
  painter.fillRect(QRect({0, 0}, size), colours.background);
  painter.setRenderHint(QPainter::Antialiasing);
  if (!context_ || all.empty()) {
    painter.setPen(colours.dim_text);
    painter.drawText(QRect({0, 0}, size), Qt::AlignCenter, tr("This recording contains no object pool."));
    return;
  }
  painter.save();
  painter.translate(0, -from);
  QFont font = painter.font();
  font.setPixelSize(11);
  painter.setFont(font);
  painter.setPen(colours.text);
  painter.drawText(
      QRectF(10, 6, size.width() - 20, 20), Qt::AlignVCenter,
      tr("%1: %2 objects, %3 of %4 used%5")
          .arg(QString::fromStdString(context_->name), format_count(static_cast<int64_t>(context_->objects.size())),
               format_bytes(context_->used_mem), format_bytes(context_->mem_size),
               (context_->no_alloc ? tr(", descriptors only") : QString()) + scratch_text()));
  const trace::TensorRef selected = tensor_of(selection_->current(), *source_->snapshot());
  double row = -1;
  for (const Box& box : all) {
    if (box.rect.bottom() < from - kRow || box.rect.top() > from + size.height() + kRow) continue;
    if (box.rect.top() != row) {
      row = box.rect.top();
      painter.setPen(colours.dim_text);
      painter.drawText(QRectF(4, row, kLeft - 12, box.rect.height()), Qt::AlignRight | Qt::AlignVCenter,
                       format_address(context_->objects[static_cast<size_t>(box.object)].header_offset));
    }
    draw_object(painter, box, selected.valid() && tensor_of_object(box.object) == selected);
  }
  painter.restore();
}

void ObjectsView::draw_object(QPainter& painter, const Box& box, bool chosen) const {
  const ThemeColours& colours = theme_->colours();
  const trace::ObjectInfo& object = context_->objects[static_cast<size_t>(box.object)];
  const QColor kind = object.type == "graph"    ? colours[Role::Output]
                      : object.type == "tensor" ? colours[Role::Work]
                                                : colours[Role::Allocation];
  const QRectF head(box.rect.topLeft(), QSizeF(box.header, box.rect.height()));
  const QRectF body(head.topRight(), box.rect.bottomRight());
  painter.setPen(Qt::NoPen);
  painter.fillRect(head, mixed(colours.panel, kind, 0.75));
  painter.fillRect(body, mixed(colours.panel, kind, 0.22));
  draw_parts(painter, body, object, kind);
  // The bytes up to the next header are padding.
  const size_t next = static_cast<size_t>(box.object) + 1;
  if (next < context_->objects.size() && context_->objects[next].header_offset > object.offset + object.size)
    painter.fillRect(QRectF(body.right() - 5, body.top(), 5, body.height()),
                     hatch_brush(Hatch::Dots, colours[Role::Hole]));
  painter.setBrush(Qt::NoBrush);
  painter.setPen(chosen ? QPen(colours.selection_outer, 2.5) : QPen(mixed(kind, colours.text, 0.2), 1));
  painter.drawRect(box.rect);
  // The next pointer.
  if (object.next >= 0) {
    painter.setPen(QPen(colours.dim_text, 1.2));
    const QPointF tip(box.rect.right() + kGap, box.rect.center().y());
    painter.drawLine(QPointF(box.rect.right(), tip.y()), tip);
    painter.drawLine(tip, tip + QPointF(-3, -2.5));
    painter.drawLine(tip, tip + QPointF(-3, 2.5));
  }
  const QFontMetricsF metrics(painter.font());
  const QRectF inner = body.adjusted(4, 1, -4, -1);
  painter.setPen(colours.text);
  painter.drawText(QRectF(inner.left(), inner.top(), inner.width(), inner.height() / 2), Qt::AlignVCenter,
                   metrics.elidedText(QString::fromStdString(object.name.empty() ? object.type : object.name),
                                      Qt::ElideMiddle, inner.width()));
  painter.setPen(colours.dim_text);
  painter.drawText(QRectF(inner.left(), inner.center().y(), inner.width(), inner.height() / 2), Qt::AlignVCenter,
                   metrics.elidedText(format_bytes(object.size), Qt::ElideRight, inner.width()));
}

// Each field or array is as wide as its share of the object's bytes; unused parts of an array are pale.
void ObjectsView::draw_parts(QPainter& painter, const QRectF& body, const trace::ObjectInfo& object,
                             const QColor& kind) const {
  const ThemeColours& colours = theme_->colours();
  if (object.size <= 0) return;
  const auto x_of = [&](Bytes offset) {
    return body.left() + body.width() * static_cast<double>(offset) / static_cast<double>(object.size);
  };
  int shade = 0;
  for (const trace::ObjectPart& part : object.parts) {
    const QRectF whole(QPointF(x_of(part.offset), body.top()), QPointF(x_of(part.offset + part.bytes), body.bottom()));
    if (part.kind == trace::ObjectPartKind::Padding) {
      painter.fillRect(whole, hatch_brush(Hatch::Dots, colours[Role::Hole]));
      continue;
    }
    QRectF used = whole;
    if (part.used > 0) used.setWidth(whole.width() * static_cast<double>(part.used) / static_cast<double>(part.bytes));
    const bool is_data = part.kind == trace::ObjectPartKind::Data;
    painter.fillRect(used,
                     mixed(colours.panel, is_data ? colours[Role::Weight] : kind, ++shade % 2 == 0 ? 0.34 : 0.48));
  }
}

void ObjectsView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  draw(painter, boxes_, viewport()->size(), verticalScrollBar()->value());
}

void ObjectsView::paint(QPainter* painter, QSize size) {
  take();
  painter->save();
  painter->setClipRect(QRect({0, 0}, size));
  draw(*painter, boxes(size.width()), size, 0);
  painter->restore();
}

int ObjectsView::object_at(const QPoint& point) const {
  const QPointF at = point + QPointF(0, verticalScrollBar()->value());
  for (const Box& box : boxes_)
    if (box.rect.contains(at)) return box.object;
  return -1;
}

QRect ObjectsView::rect_of(int object) const {
  for (const Box& box : boxes_)
    if (box.object == object) return box.rect.translated(0, -verticalScrollBar()->value()).toAlignedRect();
  return {};
}

void ObjectsView::mousePressEvent(QMouseEvent* event) {
  const trace::TensorRef ref = tensor_of_object(object_at(event->pos()));
  if (ref.valid())
    selection_->select(NodeSelection{graph_->id, ref});
  else
    selection_->clear();
}

bool ObjectsView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const int i = object_at(help->pos());
    if (i < 0) {
      QToolTip::hideText();
      return true;
    }
    const trace::ObjectInfo& o = context_->objects[static_cast<size_t>(i)];
    const trace::TensorRef ref = tensor_of_object(i);
    const QString parts =
        parts_text(o, source_->snapshot()->tensor(graph_ ? graph_->id : trace::GraphId(), ref), graph_.get());
    QToolTip::showText(
        help->globalPos(),
        tr("%1 %2\nheader %3, %4\nobject %5, %6\nnext: %7")
                .arg(QString::fromStdString(o.type), QString::fromStdString(o.name), format_address(o.header_offset),
                     format_bytes_exact(o.header_size), format_address(o.offset), format_bytes_exact(o.size),
                     o.next < 0 ? tr("none") : QString::number(o.next)) +
            (parts.isEmpty() ? QString() : QLatin1Char('\n') + parts),
        this);
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace arenascope::views
