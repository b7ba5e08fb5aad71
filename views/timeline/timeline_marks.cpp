// SPDX-License-Identifier: GPL-3.0-or-later
// Decorations over the spans of the timeline: pauses, last arrivers at barriers, the selection and its data flow.
#include <views/common/format.h>
#include <views/timeline/timeline_view.h>

#include <cmath>
#include <map>

namespace arenascope::views {

namespace {
constexpr double kPixelsBetweenMarks = 9;
}  // namespace

void TimelineView::outline(QCPPainter* painter, const Selection& selection, bool selected) const {
  const trace::Snapshot& s = *picture_->snapshot;
  if (selection.empty()) return;
  if (!selection.get<EventSelection>() && !selection.get<NodeSelection>()) {
    if (const auto r = range_of(selection)) draw_range(painter, *r, selected);
    return;
  }
  const auto* event = selection.get<EventSelection>();
  const trace::TensorRef tensor = event ? trace::TensorRef() : tensor_of(selection, s);
  const ComparisonPtr& comparison = context().source->comparison();
  const trace::TensorRef counterpart = comparison ? comparison->match.to_other(tensor) : trace::TensorRef();
  const RectSet& set = *picture_->spans;
  const RectSet::Span span = set.candidates(x_axis()->range().lower, x_axis()->range().upper);
  int drawn = 0;
  for (size_t i = span.first; i < span.last && drawn < 2000; ++i) {
    const TimelineItem& item = picture_->items[set[i].tag];
    if (item.step.valid() || item.cell.count != 1) continue;
    const trace::Event& e = snapshot_of(item).event(item.cell.span);
    const trace::TensorRef theirs = item.other ? counterpart : tensor;
    const bool meant = event ? !item.other && item.cell.span == event->span
                             : e.kind() != trace::EventKind::Slice && theirs.valid() &&
                                   theirs == trace::TensorRef::node(e.node()) &&
                                   (e.kind() == trace::EventKind::Work || e.kind() == trace::EventKind::Copy);
    if (!meant) continue;
    ++drawn;
    const QRect r = rect_of(set[i]);
    if (r.isEmpty()) continue;
    draw_mark(painter, r, selected, colours());
  }
  if (drawn == 0 && event) {  // merged into a pixel: mark its position
    if (const auto r = range_of(selection)) draw_range(painter, *r, selected);
  }
}

// Draws data-flow arrows between spans of the current run, if the spans are drawn individually.
void TimelineView::draw_flow(QCPPainter* painter) {
  constexpr size_t kMaxSpans = 20000;
  constexpr int kMaxArrows = 64;
  const trace::GraphInfo* graph = context().source->graph();
  const trace::TensorRef chosen = tensor_of(context().selection->current(), *picture_->snapshot);
  if (graph == nullptr || !chosen.is_node()) return;
  const NodeId node(chosen.index());
  if (flow_.node != node || flow_graph_ != graph->id) {
    flow_ = flow_of(*graph, node);
    flow_graph_ = graph->id;
  }
  const RectSet& set = *picture_->spans;
  const RectSet::Span seen = set.candidates(x_axis()->range().lower, x_axis()->range().upper);
  if (seen.last - seen.first > kMaxSpans) return;
  std::map<NodeId, QRectF> first, last;  // first and last work of each node
  std::vector<QRectF> copies;
  for (size_t i = seen.first; i < seen.last; ++i) {
    const TimelineItem& item = picture_->items[set[i].tag];
    if (item.step.valid() || item.other || item.cell.count != 1) continue;
    const trace::Event& e = picture_->snapshot->event(item.cell.span);
    if (e.kind() == trace::EventKind::Slice || e.run() != context().source->run()) continue;
    const QRectF r = rect_of(set[i]);
    if (r.isEmpty()) continue;
    if (e.kind() == trace::EventKind::Copy && e.node() == node) copies.push_back(r);
    if (e.kind() != trace::EventKind::Work) continue;
    if (const auto [known, fresh] = first.try_emplace(e.node(), r); !fresh && r.left() < known->second.left())
      known->second = r;
    if (const auto [known, fresh] = last.try_emplace(e.node(), r); !fresh && r.right() > known->second.right())
      known->second = r;
  }
  if (!first.contains(node)) return;
  painter->setAntialiasing(true);
  int drawn = 0;
  const auto arrow = [&](const QRectF& from, const QRectF& to, const QColor& colour) {
    if (drawn++ < kMaxArrows) draw_flow_arrow(*painter, from, to, colour);
  };
  for (const QRectF& copy : copies) arrow(copy, first[node], colours()[Role::Copy]);
  for (NodeId producer : flow_.from)
    if (last.contains(producer)) arrow(last[producer], first[node], colours()[Role::Input]);
  for (NodeId user : flow_.to)
    if (first.contains(user)) arrow(last[node], first[user], colours()[Role::Output]);
  painter->setAntialiasing(false);
}

void TimelineView::draw_barriers(QCPPainter* painter) const {
  const QRect area = plot()->axisRect()->rect();
  painter->setAntialiasing(true);
  painter->setPen(QPen(colours().background, 1));
  painter->setBrush(colours().text);
  double before = -100;
  for (const BarrierMark& b : picture_->barriers) {
    const double x = x_axis()->coordToPixel(b.x);
    if (x < area.left() || x > area.right() || x - before < kPixelsBetweenMarks || b.row >= picture_->rows.size())
      continue;
    before = x;
    const TimelineRow& row = picture_->rows[b.row];
    const QCPAxis* axis = axis_of(-row.top - row.height / 2);
    const double y = axis->coordToPixel(-row.top) + 1;
    const double over = axis == y_axis() ? std::max<double>(pinned_bottom(), area.top()) : area.top();
    if (y < over - 2 || y > area.bottom() - 6) continue;
    painter->drawPolygon(QPolygonF({{x - 4.5, y}, {x + 4.5, y}, {x, y + 7}}));
  }
  painter->setAntialiasing(false);
}

// Covers all rows: no thread worked or waited for another.
void TimelineView::draw_pauses(QCPPainter* painter) const {
  const QRect area = plot()->axisRect()->rect();
  painter->setAntialiasing(false);
  QColor veil = colours().background;
  veil.setAlpha(225);
  for (const PauseMark& pause : picture_->pauses) {
    const int x0 = std::max(static_cast<int>(std::lround(x_axis()->coordToPixel(pause.x0))), area.left());
    const int x1 = std::min(static_cast<int>(std::lround(x_axis()->coordToPixel(pause.x1))), area.right() + 1);
    if (x1 <= x0) continue;
    const QRect band(x0, area.top(), x1 - x0, area.height());
    fill_at_once(painter, band, veil);
    painter->setPen(QPen(colours().dim_text, 1, Qt::DotLine));
    painter->drawRect(band.adjusted(0, 0, -1, -1));
    painter->setPen(colours().dim_text);
    const QString text = tr("paused, %1").arg(format_ns(pause.time));
    if (painter->fontMetrics().horizontalAdvance(text) + 8 < band.width())
      painter->drawText(band, Qt::AlignCenter, text);
  }
}

void TimelineView::draw_overlay(QCPPainter* painter) {
  if (!picture_ || !picture_->spans) return;
  draw_pauses(painter);
  draw_barriers(painter);
  const SelectionModel& model = *context().selection;
  if (!(model.hovered() == model.current())) outline(painter, model.hovered(), false);
  outline(painter, model.current(), true);
  draw_flow(painter);
}

}  // namespace arenascope::views
