// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/common/slices.h>
#include <views/timeline/timeline_view.h>

#include <QMenu>
#include <cmath>
#include <map>

namespace arenascope::views {

namespace {
using trace::SpanCell;
constexpr double kTallest = 46, kLowest = 14;  // pixels of a row
constexpr double kPixelsBetweenMarks = 9;
}  // namespace

// Lines between the rows, and their names in the left margin.
class TimelineView::Rows : public PlotLayer {
 public:
  Rows(QCPAxis* x, QCPAxis* y, const TimelineView* view) : PlotLayer(x, y), view_(view) {
    setLayer(QStringLiteral("grid"));
  }

 protected:
  QRect clipRect() const override {  // the names stand left of the axis
    const QRect area = mKeyAxis->axisRect()->rect();
    return area.adjusted(-area.left(), 0, 0, 0);
  }

  void draw(QCPPainter* p) override {
    if (!view_->picture_) return;
    const QRect area = mKeyAxis->axisRect()->rect();
    const ThemeColours& c = view_->colours();
    p->setAntialiasing(false);
    p->setFont(mParentPlot->font());
    const QFontMetrics metrics = p->fontMetrics();
    const double over = view_->pinned_bottom();
    for (const TimelineRow& row : view_->picture_->rows) {
      const QCPAxis* axis = view_->axis_of(-row.top - row.height / 2);
      const double bottom = axis->coordToPixel(-row.top - row.height);
      const double top =
          axis == mValueAxis ? std::max(axis->coordToPixel(-row.top), over) : axis->coordToPixel(-row.top);
      if (bottom < std::max<double>(area.top(), top) || top > area.bottom()) continue;
      const int line = static_cast<int>(std::lround(bottom));
      if (line <= area.bottom()) p->fillRect(QRect(6, line, area.right() - 6, 1), c.grid);
      const QRectF box(8, std::max<double>(top, area.top()), area.left() - 16,
                       std::min<double>(bottom, area.bottom()) - std::max<double>(top, area.top()));
      if (box.height() < metrics.height() * 0.8) continue;
      const bool two =
          row.track.valid() && box.height() >= 2 * metrics.height() + 2 && row.share.busy + row.share.waiting > 0;
      const int width = static_cast<int>(box.width());
      p->setPen(row.track.valid() && !row.other ? c.text : c.dim_text);
      QFont font = mParentPlot->font();
      font.setBold(row.pinned);
      p->setFont(font);
      if (row.other)
        p->fillRect(
            QRect(2, static_cast<int>(std::max<double>(top, area.top())) + 1, 2, static_cast<int>(box.height()) - 2),
            c.category(1));
      const QString name = metrics.elidedText(view_->row_name(row), Qt::ElideMiddle, width);
      const double middle = box.center().y();
      const QRectF first(box.left(), two ? middle - metrics.height() : middle - metrics.height() / 2.0, width,
                         metrics.height());
      p->drawText(first, Qt::AlignRight | Qt::AlignVCenter, name);
      p->setFont(mParentPlot->font());
      if (!two) continue;
      p->setPen(c.dim_text);
      p->drawText(
          first.translated(0, metrics.height()), Qt::AlignRight | Qt::AlignVCenter,
          metrics.elidedText(TimelineView::tr("%1 busy").arg(format_percent(row.share.busy)), Qt::ElideRight, width));
    }
  }

 private:
  const TimelineView* view_;
};

class TimelineView::PinnedGround : public PlotLayer {
 public:
  PinnedGround(QCPAxis* x, QCPAxis* y, const TimelineView* view) : PlotLayer(x, y), view_(view) {}

 protected:
  void draw(QCPPainter* p) override {
    view_->pinned_spans_->setVisible(view_->pinned_stand_over());
    if (!view_->pinned_stand_over()) return;
    const QRect area = mKeyAxis->axisRect()->rect();
    p->setAntialiasing(false);
    const int bottom = static_cast<int>(std::lround(view_->pinned_bottom()));
    p->fillRect(QRect(area.left(), area.top(), area.width(), bottom - area.top()), view_->colours().background);
    p->fillRect(QRect(area.left(), bottom, area.width(), 2), view_->colours().dim_text);
  }

 private:
  const TimelineView* view_;
};

TimelineView::TimelineView(const ViewContext& context, QWidget* parent) : PlotView(context, parent) {
  y_axis()->setTicks(false);
  y_axis()->setTickLabels(false);
  y_axis()->grid()->setVisible(false);
  rows_ = new Rows(x_axis(), y_axis(), this);
  spans_ = new RectPlottable(x_axis(), y_axis());
  spans_->set_labels([this](uint32_t tag, int lines) { return label(tag, lines); });
  spans_->set_dense_from(6000);
  top_ = plot()->axisRect()->addAxis(QCPAxis::atRight);
  top_->setVisible(false);
  new PinnedGround(x_axis(), top_, this);
  pinned_spans_ = new RectPlottable(x_axis(), top_);
  pinned_spans_->set_labels([this](uint32_t tag, int lines) { return label(tag, lines); });
  pinned_spans_->set_dense_from(6000);
  connect(y_axis(), qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
          [this](const QCPRange& range) { top_->setRange(-range.size(), 0); });
  start();
}

PlotView::Work TimelineView::work() const {
  return [pinned = pinned_](const PrepareInput& in, std::stop_token stop) -> PreparedPtr {
    return prepare_timeline(in, stop, pinned);
  };
}

void TimelineView::pin_row(const QString& track, bool pinned) {
  if (pinned)
    pinned_.insert(track.toStdString());
  else
    pinned_.erase(track.toStdString());
  prepare();
}

void TimelineView::add_choices(QMenu& menu) {
  QMenu* rows = menu.addMenu(tr("Rows Pinned to the Top"));
  if (picture_)
    for (const TimelineRow& row : picture_->rows) {
      if (!row.track.valid() || row.other) continue;
      const QString name = QString::fromStdString(picture_->snapshot->tracks[row.track.index()].info.name);
      QAction* action = rows->addAction(row_name(row));
      action->setCheckable(true);
      action->setChecked(row.pinned);
      connect(action, &QAction::toggled, this, [this, name](bool on) { pin_row(name, on); });
    }
  rows->menuAction()->setEnabled(!rows->isEmpty());
}

bool TimelineView::y_moves() const { return picture_ && picture_->height * kLowest > plot()->axisRect()->height(); }

QCPRange TimelineView::y_limits() const { return {-(picture_ ? picture_->height : 1) - 0.05, 0}; }

void TimelineView::show_prepared(const PreparedPtr& prepared) {
  picture_ = std::static_pointer_cast<const TimelinePicture>(prepared);
  spans_->set_data(picture_->spans);
  pinned_spans_->set_data(picture_->pinned);
  fit_rows();
  update_header();
}

bool TimelineView::pinned_stand_over() const {
  return picture_ && picture_->pinned_height > 0 && y_axis()->range().upper < -1e-6;
}

QRect TimelineView::rect_of(const Rect& span) const {
  const QCPAxis* axis = axis_of((span.y0 + span.y1) / 2);
  QRect r = pixel_rect(x_axis(), axis, span);
  const int over = static_cast<int>(std::lround(std::max(pinned_bottom(), -1e6)));
  if (axis == y_axis() && r.top() < over) r.setTop(std::min(over, r.bottom() + 1));
  return r;
}

// Rows as tall as there is room, but not absurdly so; too many scroll.
void TimelineView::fit_rows() {
  if (!picture_) return;
  const int pixels = std::max(plot()->axisRect()->height(), 10);
  if (picture_->height == shown_height_ && pixels == shown_pixels_) return;
  shown_height_ = picture_->height;
  shown_pixels_ = pixels;
  const double rows = std::max(picture_->height, 0.5);
  const double tall = std::clamp(pixels / rows, kLowest, kTallest);
  y_axis()->setRange(-pixels / tall, 0);
}

void TimelineView::resizeEvent(QResizeEvent* event) {
  PlotView::resizeEvent(event);
  QMetaObject::invokeMethod(
      this, [this] { fit_rows(); }, Qt::QueuedConnection);
}

void TimelineView::restyle() {
  const ThemeColours& c = colours();
  std::vector<RectStyle> styles(kTimelineStyles);
  const auto solid = [&](uint32_t i, const QColor& fill) { styles[i].fill = fill; };
  const QColor work = c[Role::Work];
  solid(kSpanWork0, work);
  solid(kSpanWork1, work.lighter(c.dark ? 122 : 118));
  solid(kSpanWork2, work.darker(c.dark ? 124 : 118));
  QColor wait = c[Role::Wait];
  wait.setAlpha(c.dark ? 60 : 40);
  styles[kSpanWait].fill = wait;
  styles[kSpanWait].hatch = Hatch::Diagonal;
  styles[kSpanWait].hatch_colour = c[Role::Wait];
  styles[kSpanWait].label = false;
  styles[kSpanCopy].fill = c[Role::Copy];
  styles[kSpanCopy].hatch = Hatch::Arrow;
  styles[kSpanCopy].hatch_colour = QColor(0, 60, 100, 120);
  for (uint32_t i = 0; i < 8; ++i) solid(kSpanNamed0 + i, c.category(i));
  solid(kSpanDenseWork, work);
  QColor dense_wait = c[Role::Wait];
  dense_wait.setAlpha(150);
  solid(kSpanDenseWait, dense_wait);
  solid(kSpanDenseOther, c[Role::Other]);
  for (const uint32_t i : {kSpanDenseWork, kSpanDenseWait, kSpanDenseOther}) styles[i].label = false;
  solid(kSpanStep0, c.dark ? QColor(0x33, 0x38, 0x40) : QColor(0xdf, 0xe3, 0xe8));
  solid(kSpanStep1, c.dark ? QColor(0x40, 0x46, 0x4f) : QColor(0xcd, 0xd3, 0xda));
  for (RectPlottable* spans : {spans_, pinned_spans_}) {
    spans->set_styles(styles);
    spans->set_text_colour(c.text);
  }
  if (picture_) update_header();
}

void TimelineView::update_header() {
  const TimelinePicture& t = *picture_;
  const ThemeColours& c = colours();
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
  h.legend = {{tr("work"), work}, {tr("barrier wait"), wait}};
  if (!context().source->snapshot()->copies.empty()) h.legend.push_back({tr("copy"), copy});
  if (t.other) {
    RectStyle other;
    other.edge = c.category(1);
    h.legend.push_back({tr("B: compared with"), other});
  }
  if (!t.barriers.empty()) h.legend.push_back({tr("came last"), last, LegendChip::Shape::Triangle});
  set_header(std::move(h));
}

QString TimelineView::row_name(const TimelineRow& row) const {
  if (!row.track.valid()) return tr("node");
  const auto& tracks = (row.other ? picture_->other : picture_->snapshot)->tracks;
  if (row.track.index() >= tracks.size()) return {};
  const trace::ThreadInfo& info = tracks[row.track.index()].info;
  const QString name = info.name.empty() ? QStringLiteral("%1 %2").arg(Words::track(info.kind)).arg(row.track.value)
                                         : QString::fromStdString(info.name);
  return row.other ? tr("B %1").arg(name) : name;
}

const trace::Snapshot& TimelineView::snapshot_of(const TimelineItem& item) const {
  return item.other && picture_->other ? *picture_->other : *picture_->snapshot;
}

const trace::GraphInfo* TimelineView::graph_of(const TimelineItem& item) const {
  const ComparisonPtr& comparison = context().source->comparison();
  if (!item.other) return context().source->graph();
  return comparison ? comparison->other.graph.get() : nullptr;
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

const TimelineItem* TimelineView::item_at(const QPointF& pixel) const {
  if (!picture_ || !plot()->axisRect()->rect().contains(pixel.toPoint())) return nullptr;
  const RectPlottable* spans = pixel.y() < pinned_bottom() ? pinned_spans_ : spans_;
  const auto i = spans->hit(pixel);
  if (!i) return nullptr;
  const uint32_t tag = (*spans->data())[*i].tag;
  return tag < picture_->items.size() ? &picture_->items[tag] : nullptr;
}

Selection TimelineView::pick(const QPointF& pixel) const {
  const TimelineItem* item = item_at(pixel);
  if (!item) return {};
  if (item->other) {  // theirs means our counterpart
    const ComparisonPtr& comparison = context().source->comparison();
    if (!comparison || !picture_->other || item->cell.count == 0) return {};
    const trace::Event& e = picture_->other->event(item->cell.span);
    if (e.kind() == trace::EventKind::Slice) return {};
    const trace::TensorRef ours = comparison->match.from_other(trace::TensorRef::node(e.node()));
    return ours.valid() ? Selection(NodeSelection{context().source->graph_id(), ours}) : Selection();
  }
  if (!item->step.valid()) return EventSelection{item->cell.span};
  const trace::PlanInfo* plan = context().source->plan();
  const NodeId node =
      plan && item->step.index() < plan->order.size() ? plan->order[item->step.index()] : NodeId(item->step.value);
  return Selection::node(context().source->graph_id(), node);
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
    if (selected) {
      draw_double_outline(painter, r, colours());
    } else {
      painter->setPen(QPen(colours().hover, 2));
      painter->setBrush(Qt::NoBrush);
      painter->drawRect(r);
    }
  }
  if (drawn == 0 && event) {  // merged into a pixel: show where
    if (const auto r = range_of(selection)) draw_range(painter, *r, selected);
  }
}

// In the run that is looked at, as far as the spans are drawn one by one.
void TimelineView::draw_flow(QCPPainter* painter) {
  constexpr size_t kMostSpans = 20000;
  constexpr int kMostArrows = 64;
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
  if (seen.last - seen.first > kMostSpans) return;
  std::map<NodeId, QRectF> first, last;  // of each node's work
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
    if (drawn++ < kMostArrows) draw_flow_arrow(*painter, from, to, colour);
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

// Over all rows: nobody worked, and nobody waited for another.
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

QString TimelineView::nothing_to_show() const {
  const trace::Snapshot& s = *context().source->snapshot();
  return s.event_count == 0 ? tr("Nothing was run here: there is no time to show.") : QString();
}

}  // namespace arenascope::views
