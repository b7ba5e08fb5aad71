// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the timeline: header, span labels and tooltips.
#include <arenascope/base/layer_name.h>
#include <views/common/format.h>
#include <views/common/slices.h>
#include <views/timeline/span_style.h>
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
  // A picture made in the background may be older than the comparison.
  if (const auto& comparison = context().source->comparison(); other_workers > 0 && comparison)
    h.add(with_figures(tr("B: %1 busy"), {figure(other_figure(run_figure(comparison->other.run, "busy_share")),
                                                 other_busy / other_workers, FigureUnit::Share)}));
  if (const trace::Run* run = t.snapshot->run(context().source->run()); run && run->paused() > 0)
    h.add(with_figures(tr("excludes a %1 pause"), {figure(run_figure(run->info.id, "paused"),
                                                          static_cast<double>(run->paused()), FigureUnit::Time)}));
  for (const trace::ClockInfo& clock : t.snapshot->clocks)
    if (clock.error > 0)
      h.add(
          with_figures(tr("device clock ± %1"), {figure("device." + std::to_string(clock.device.value) + ".clock_error",
                                                        static_cast<double>(clock.error), FigureUnit::Time)}));
  add_legend(h);
  set_header(std::move(h));
}

// Legend entries for the styles that occur.
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
  for (const TimelineMeaning& meaning : t.meanings) h.legend.push_back({meaning.text, style_of(meaning.colour, c)});
  if (occurs({kSpanWork0, kSpanWork1, kSpanWork2, kSpanDenseWork})) h.legend.push_back({tr("work"), work});
  if (occurs({kSpanWait, kSpanDenseWait})) h.legend.push_back({tr("barrier wait"), wait});
  if (!context().source->snapshot()->copies.empty()) h.legend.push_back({tr("copy"), copy});
  if (t.other) {
    RectStyle other;
    other.edge = c.category(1);
    h.legend.push_back({tr("B: compared with"), other});
  }
  if (!t.barriers.empty()) h.legend.push_back({tr("last arriver"), last, LegendChip::Shape::Triangle});
}

QString TimelineView::label(uint32_t tag, int lines) const {
  if (!picture_ || tag >= picture_->items.size()) return {};
  const TimelineItem& item = picture_->items[tag];
  const trace::Snapshot& s = snapshot_of(item);
  if (item.layer) return QString::fromStdString(std::string(layer_itself(item.layer->name)));
  if (item.step.valid()) {
    const trace::GraphInfo* graph = context().source->graph();
    const trace::PlanInfo* plan = context().source->plan();
    const NodeId node =
        plan && item.step.index() < plan->order.size() ? plan->order[item.step.index()] : NodeId(item.step.value);
    const auto* t = SliceText::tensor(graph, trace::TensorRef::node(node));
    return t && !t->name.empty() ? QString::fromStdString(t->name) : figure({}, item.step.value, FigureUnit::Step).text;
  }
  const trace::Event& e = s.event(item.cell.span);
  if (e.kind() == trace::EventKind::Work) {
    const auto* t = SliceText::tensor(graph_of(item), trace::TensorRef::node(e.node()));
    // The kernel name on a second line, or appended if there is one line.
    const std::string_view kernel = s.kernel(e);
    const QString kernel_suffix = kernel.empty()
                                      ? QString()
                                      : QLatin1String(lines < 2 ? " · " : "\n") +
                                            QString::fromUtf8(kernel.data(), static_cast<qsizetype>(kernel.size()));
    if (t && !t->name.empty()) return QString::fromStdString(t->name) + kernel_suffix;
  }
  return QString::fromStdString(s.label(e));
}

FigureText TimelineView::tip_of_cell(const TimelineItem& item) const {
  const trace::Snapshot& s = snapshot_of(item);
  const SpanCell& cell = item.cell;
  const trace::Event& e = s.event(cell.span);
  const auto of = [&](const char* what, auto value, FigureUnit unit) {
    return figure(figure_id(item.other ? "B.spans" : "spans", cell.span.track.value, cell.span.lane,
                            cell.begin - s.time.begin, cell.end - s.time.begin, what),
                  static_cast<double>(value), unit);
  };
  FigureText text = with_figures(tr("%1 spans in %2"), {of("count", cell.count, FigureUnit::Count),
                                                        of("lasts", cell.end - cell.begin, FigureUnit::Time)});
  text.line(with_figures(tr("work %1, waiting %2"),
                         {of("work", cell.work, FigureUnit::Share), of("wait", cell.wait, FigureUnit::Share)}));
  return text.line(
      with_parts(tr("the longest: %1, %2"), {name_text(QString::fromStdString(s.label(e))),
                                             figure_text(of("longest", e.end() - e.begin(), FigureUnit::Time))}));
}

// The last arriver at the barrier of a wait, and the cost of the wait.
FigureText TimelineView::tip_of_wait(const trace::Snapshot& s, const trace::Event& e, const std::string& whose) const {
  const auto b = s.barrier_of(e.run(), e.node());
  if (!b) return {};
  const auto i = b->last_arriver.index();
  const QString who =
      b->last_arriver.valid() && i < s.tracks.size() ? QString::fromStdString(s.tracks[i].info.name) : QString();
  FigureText text = with_parts(
      tr("last arriver %1; the others waited %2 in total"),
      {name_text(who),
       figure_text(figure(whose + barrier_figure(*b, "waited"), static_cast<double>(b->wait_sum), FigureUnit::Time))});
  if (b->nodes > 1)
    text.line(
        with_figures(tr("no barrier before it: %1 consecutive nodes"),
                     {figure(whose + barrier_figure(*b, "nodes"), static_cast<double>(b->nodes), FigureUnit::Count)}));
  return text;
}

FigureText TimelineView::tip_of_span(const TimelineItem& item) const {
  const trace::Snapshot& s = snapshot_of(item);
  const trace::Event& e = s.event(item.cell.span);
  const bool named = e.kind() == trace::EventKind::Slice;
  const trace::TensorInfo* node = named ? nullptr : SliceText::tensor(graph_of(item), trace::TensorRef::node(e.node()));
  const std::string whose = item.other ? "B." : "";
  const auto of = [&](const char* what, auto value, FigureUnit unit) {
    return figure(whose + figure_id("span", item.cell.span.track.value, e.begin() - s.time.begin,
                                    e.end() - s.time.begin, named ? -1 : e.node().value, what),
                  static_cast<double>(value), unit);
  };
  const FigureText title =
      node ? title_text(*node, trace::TensorRef::node(e.node())) : name_text(QString::fromStdString(s.label(e)));
  FigureText text;
  switch (e.kind()) {
    case trace::EventKind::Wait: text = with_parts(tr("barrier wait after %1"), {title}); break;
    case trace::EventKind::Between:
      text = with_parts((e.b & trace::kPaused) != 0 ? tr("paused after %1") : tr("between nodes, after %1"), {title});
      break;
    case trace::EventKind::Copy:
      text = with_parts(tr("copy for %1"), {title});
      text.line(exact_text(of("bytes", e.b, FigureUnit::Bytes).id, e.b));
      if (e.end() > e.begin())
        text.line(with_figures(tr("%1 per second"),
                               {of("speed", static_cast<double>(e.b) * 1e9 / static_cast<double>(e.end() - e.begin()),
                                   FigureUnit::Bytes)}));
      break;
    case trace::EventKind::Work:
      text = title;
      if (const std::string_view kernel = s.kernel(e); node && !kernel.empty())
        text.line(with_parts(tr("kernel %1"), {name_text(QString::fromStdString(std::string(kernel)))}));
      if (e.chunk() > 0 || s.kernel(e).empty())
        text.line(with_figures(tr("chunk %1"), {of("part", e.chunk(), FigureUnit::Count)}));
      if (const auto b = s.barrier_after(e.run(), e.end()); b && b->nodes > 1)
        text.line(with_figures(
            tr("one of %1 consecutive nodes without a barrier"),
            {figure(whose + barrier_figure(*b, "nodes"), static_cast<double>(b->nodes), FigureUnit::Count)}));
      break;
    default: text = title;
  }
  text.line(with_figures(tr("%1, from %2"), {of("lasts", e.end() - e.begin(), FigureUnit::Time),
                                             of("from", e.begin() - s.time.begin, FigureUnit::Time)}));
  return e.kind() == trace::EventKind::Wait ? text.line(tip_of_wait(s, e, whose)) : text;
}

FigureText TimelineView::tip(const QPointF& pixel) const {
  const bool inside = picture_ && plot()->axisRect()->rect().contains(pixel.toPoint()) && pixel.y() >= pinned_bottom();
  const CounterCurve* curve = inside ? curve_at(picture_->curves, -y_axis()->pixelToCoord(pixel.y())) : nullptr;
  if (curve != nullptr)
    return counter_tip(*picture_->snapshot, *curve,
                       context().axis->frame().time_of_x(x_axis()->pixelToCoord(pixel.x())));
  const TimelineItem* item = item_at(pixel);
  if (!item) return {};
  if (item->layer)
    return with_parts(tr("layer %1"), {name_text(QString::fromStdString(item->layer->name))})
        .line(
            with_figures(tr("steps %1 to %2"), {figure("chosen.first", item->layer->first.value, FigureUnit::Step),
                                                figure("chosen.last", item->layer->last.value, FigureUnit::EndStep)}));
  if (item->step.valid()) {
    const Figure step = figure("chosen.step", item->step.value, FigureUnit::Step);
    const QString name = label(static_cast<uint32_t>(item - picture_->items.data()), 1);
    return with_parts(tr("step %1: %2"), {figure_text(step), name == step.text ? figure_text(step) : name_text(name)});
  }
  FigureText text;
  if (item->other)
    text = with_parts(
        tr("B: %1"),
        {name_text(context().source->comparison() ? context().source->comparison()->other.title : QString())});
  return text.line(item->cell.count > 1 ? tip_of_cell(*item) : tip_of_span(*item));
}

}  // namespace arenascope::views
