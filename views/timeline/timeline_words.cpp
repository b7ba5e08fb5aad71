// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline says: the header, the names on its spans, and what is under the mouse.
#include <views/common/format.h>
#include <views/common/slices.h>
#include <views/timeline/timeline_view.h>

#include <algorithm>

namespace arenascope::views {

using trace::SpanCell;

void TimelineView::update_header() {
  const TimelinePicture& t = *picture_;
  HeaderContent h;
  h.title = view_name();
  if (!t.rows.empty()) h.facts << tr("observed");
  double busy = 0, waiting = 0;
  int workers = 0;
  for (const TimelineRow& row : t.rows) {
    if (!row.track.valid() || row.other || row.share.busy + row.share.waiting <= 0) continue;
    busy += row.share.busy;
    waiting += row.share.waiting;
    ++workers;
  }
  if (workers > 0) {
    const trace::RunId run = context().source->run();
    h.add(with_figures(tr("%1 busy"), {figure(run_figure(run, "busy_share"), busy / workers, FigureUnit::Share)}));
    if (waiting > 0)
      h.add(with_figures(tr("%1 waiting at barriers"),
                         {figure(run_figure(run, "wait_share"), waiting / workers, FigureUnit::Share)}));
  }
  double other_busy = 0;
  int other_workers = 0;
  for (const TimelineRow& row : t.rows) {
    if (!row.other || row.share.busy + row.share.waiting <= 0) continue;
    other_busy += row.share.busy;
    ++other_workers;
  }
  if (other_workers > 0)
    h.add(with_figures(tr("B: %1 busy"), {figure("", other_busy / other_workers, FigureUnit::Share)}));
  if (const trace::Run* run = t.snapshot->run(context().source->run()); run && run->paused() > 0)
    h.add(with_figures(
        tr("paused for %1, which is no part of it"),
        {figure(run_figure(run->info.id, "paused"), static_cast<double>(run->paused()), FigureUnit::Time)}));
  for (const trace::ClockInfo& clock : t.snapshot->clocks)
    if (clock.error > 0)
      h.add(
          with_figures(tr("device clock ± %1"), {figure("device." + std::to_string(clock.device.value) + ".clock_error",
                                                        static_cast<double>(clock.error), FigureUnit::Time)}));
  add_legend(h);
  set_header(std::move(h));
}

// What occurs in the picture.
void TimelineView::add_legend(HeaderContent& h) const {
  const TimelinePicture& t = *picture_;
  const ThemeColours& c = colours();
  RectStyle work, wait, copy, last;
  work.fill = c[Role::Work];
  wait.hatch = Hatch::Diagonal;
  wait.hatch_colour = c[Role::Wait];
  wait.fill = c[Role::Wait];
  wait.fill.setAlpha(40);
  copy.fill = c[Role::Copy];
  copy.hatch = Hatch::Arrow;
  copy.hatch_colour = QColor(0, 60, 100, 120);
  last.fill = c.text;
  const auto occurs = [&](std::initializer_list<uint32_t> styles) {
    for (size_t i = 0; t.spans && i < t.spans->size(); ++i)
      if (std::find(styles.begin(), styles.end(), (*t.spans)[i].style) != styles.end()) return true;
    return false;
  };
  if (occurs({kSpanWork0, kSpanWork1, kSpanWork2, kSpanDenseWork})) h.legend.push_back({tr("work"), work});
  if (occurs({kSpanWait, kSpanDenseWait})) h.legend.push_back({tr("barrier wait"), wait});
  if (!context().source->snapshot()->copies.empty()) h.legend.push_back({tr("copy"), copy});
  if (t.other) {
    RectStyle other;
    other.edge = c.category(1);
    h.legend.push_back({tr("B: compared with"), other});
  }
  if (!t.barriers.empty()) h.legend.push_back({tr("came last"), last, LegendChip::Shape::Triangle});
}

QString TimelineView::label(uint32_t tag, int) const {
  if (!picture_ || tag >= picture_->items.size()) return {};
  const TimelineItem& item = picture_->items[tag];
  const trace::Snapshot& s = snapshot_of(item);
  if (item.step.valid()) {
    const trace::GraphInfo* graph = context().source->graph();
    const trace::PlanInfo* plan = context().source->plan();
    const NodeId node =
        plan && item.step.index() < plan->order.size() ? plan->order[item.step.index()] : NodeId(item.step.value);
    const auto* t = SliceWords::tensor(graph, trace::TensorRef::node(node));
    return t && !t->name.empty() ? QString::fromStdString(t->name) : format_count(item.step.value);
  }
  const trace::Event& e = s.event(item.cell.span);
  if (e.kind() == trace::EventKind::Work) {
    const auto* t = SliceWords::tensor(graph_of(item), trace::TensorRef::node(e.node()));
    if (t && !t->name.empty()) return QString::fromStdString(t->name);
  }
  return QString::fromStdString(s.label(e));
}

QString TimelineView::describe(const QPointF& pixel) const {
  const TimelineItem* item = item_at(pixel);
  if (!item) return {};
  if (item->step.valid()) {
    const auto tag = static_cast<uint32_t>(item - picture_->items.data());
    return tr("step %1: %2").arg(format_count(item->step.value), label(tag, 1));
  }
  const trace::Snapshot& s = snapshot_of(*item);
  const SpanCell& cell = item->cell;
  const trace::Event& e = s.event(cell.span);
  const Nanoseconds origin = item->other ? s.time.begin : context().axis->frame().origin;
  QStringList lines;
  if (item->other)
    lines << tr("B: %1").arg(context().source->comparison() ? context().source->comparison()->other.title : QString());
  if (cell.count > 1) {
    lines << tr("%1 spans in %2").arg(format_count(cell.count), format_ns(cell.end - cell.begin));
    lines << tr("work %1, waiting %2")
                 .arg(format_percent(static_cast<double>(cell.work)), format_percent(static_cast<double>(cell.wait)));
    lines << tr("the longest: %1, %2").arg(QString::fromStdString(s.label(e)), format_ns(e.end() - e.begin()));
    return lines.join(QLatin1Char('\n'));
  }
  const trace::TensorInfo* node = e.kind() == trace::EventKind::Slice
                                      ? nullptr
                                      : SliceWords::tensor(graph_of(*item), trace::TensorRef::node(e.node()));
  const QString title =
      node ? tensor_title(*node, trace::TensorRef::node(e.node())) : QString::fromStdString(s.label(e));
  switch (e.kind()) {
    case trace::EventKind::Wait: lines << tr("barrier wait after %1").arg(title); break;
    case trace::EventKind::Between:
      lines << ((e.b & trace::kPaused) != 0 ? tr("paused after %1").arg(title)
                                            : tr("between nodes, after %1").arg(title));
      break;
    case trace::EventKind::Copy:
      lines << tr("copy for %1").arg(title) << format_bytes_exact(e.b);
      if (e.end() > e.begin()) {
        lines << tr("%1 per second")
                     .arg(format_bytes(static_cast<Bytes>(static_cast<double>(e.b) * 1e9 /
                                                          static_cast<double>(e.end() - e.begin()))));
      }
      break;
    case trace::EventKind::Work:
      lines << title << tr("chunk %1").arg(format_count(e.b));
      if (const auto b = s.barrier_after(e.run(), e.end()); b && b->nodes > 1)
        lines << tr("one of %1 nodes in a row without a barrier").arg(format_count(b->nodes));
      break;
    default: lines << title;
  }
  lines << tr("%1, from %2").arg(format_ns(e.end() - e.begin()), format_ns(e.begin() - origin));
  if (e.kind() == trace::EventKind::Wait) {
    if (const auto b = s.barrier_of(e.run(), e.node())) {
      const auto i = b->last_arriver.index();
      const QString who =
          b->last_arriver.valid() && i < s.tracks.size() ? QString::fromStdString(s.tracks[i].info.name) : QString();
      lines << tr("%1 came last; the others waited %2 together").arg(who, format_ns(b->wait_sum));
      if (b->nodes > 1) lines << tr("no barrier before that: %1 nodes in a row").arg(format_count(b->nodes));
    }
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace arenascope::views
