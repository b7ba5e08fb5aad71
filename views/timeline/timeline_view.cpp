// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/common/layer_nodes.h>
#include <views/common/slices.h>
#include <views/timeline/span_style.h>
#include <views/timeline/timeline_curves.h>
#include <views/timeline/timeline_rows.h>
#include <views/timeline/timeline_view.h>

#include <QActionGroup>
#include <QMenu>
#include <cmath>

namespace arenascope::views {

namespace {
constexpr double kTallest = 46, kLowest = 14;  // row height in pixels
constexpr int kLowestLabel = 9;                // height of a span with a label, in pixels
}  // namespace

TimelineView::TimelineView(const ViewContext& context, QWidget* parent) : PlotViewWith(context, parent) {
  y_axis()->setTicks(false);
  y_axis()->setTickLabels(false);
  y_axis()->grid()->setVisible(false);
  new TimelineRows(x_axis(), y_axis(), this);
  spans_ = new RectPlottable(x_axis(), y_axis());
  spans_->set_labels([this](uint32_t tag, int lines) { return label(tag, lines); });
  spans_->set_dense_from(6000);
  spans_->set_lowest_label(kLowestLabel);
  new TimelineCurves(x_axis(), y_axis(), this);
  top_ = plot()->axisRect()->addAxis(QCPAxis::atRight);
  top_->setVisible(false);
  new TimelinePinnedGround(x_axis(), top_, this);
  pinned_spans_ = new RectPlottable(x_axis(), top_);
  pinned_spans_->set_labels([this](uint32_t tag, int lines) { return label(tag, lines); });
  pinned_spans_->set_dense_from(6000);
  pinned_spans_->set_lowest_label(kLowestLabel);
  connect(y_axis(), qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
          [this](const QCPRange& range) { top_->setRange(-range.size(), 0); });
  start();
}

PlotView::PrepareFunction TimelineView::prepare_function() const {
  return [state = state_](const PrepareInput& in, std::stop_token stop) -> PreparedPtr {
    return prepare_timeline(in, stop, state.pinned, state.colour);
  };
}

void TimelineView::pin_row(const QString& track, bool pinned) {
  ViewState state = state_;
  if (pinned)
    state.pinned.insert(track.toStdString());
  else
    state.pinned.erase(track.toStdString());
  set_view_state(state);
}

void TimelineView::add_context_menu_actions(QMenu& menu) {
  QMenu* colours = menu.addMenu(tr("Colour Spans by"));
  auto* group = new QActionGroup(colours);
  for (int i = 0; i < kTimelineColours; ++i) {
    const auto colour = static_cast<TimelineColour>(i);
    QAction* action = colours->addAction(TimelineColourNames::of(colour));
    action->setCheckable(true);
    action->setChecked(colour == state_.colour);
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, colour] { set_view_state({state_.pinned, colour}); });
  }
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

bool TimelineView::pinned_rows_cover() const {
  return picture_ && picture_->pinned_height > 0 && y_axis()->range().upper < -1e-6;
}

QRect TimelineView::rect_of(const Rect& span) const {
  const QCPAxis* axis = axis_of((span.y0 + span.y1) / 2);
  QRect r = pixel_rect(x_axis(), axis, span);
  const int over = static_cast<int>(std::lround(std::max(pinned_bottom(), -1e6)));
  if (axis == y_axis() && r.top() < over) r.setTop(std::min(over, r.bottom() + 1));
  return r;
}

// Rows fill the height within limits; if they do not fit, the view scrolls.
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
  for (uint32_t i = 0; i < kSpanCategories; ++i) styles[kSpanNamed0 + i] = style_of(SpanColour{false, i}, c);
  for (uint32_t i = 0; i < kSpanShades; ++i) styles[kSpanShade0 + i] = style_of(SpanColour{true, i}, c);
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

QString TimelineView::row_name(const TimelineRow& row) const {
  if (!row.program.empty()) return QString::fromStdString(row.program);
  if (row.counter.valid()) return QString::fromStdString(picture_->snapshot->counters[row.counter.index()].name);
  if (!row.track.valid()) return row.layers ? tr("layer") : tr("node");
  const auto& tracks = (row.other ? picture_->other : picture_->snapshot)->tracks;
  if (row.track.index() >= tracks.size()) return {};
  const trace::ThreadInfo& info = tracks[row.track.index()].info;
  const QString name = info.name.empty()
                           ? QStringLiteral("%1 %2").arg(DisplayNames::track(info.kind)).arg(row.track.value)
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
  if (item->other) {  // items of the other side select our counterpart
    const ComparisonPtr& comparison = context().source->comparison();
    if (!comparison || !picture_->other || item->cell.count == 0) return {};
    const trace::Event& e = picture_->other->event(item->cell.span);
    if (e.kind() == trace::EventKind::Slice) return {};
    const trace::TensorRef ours = comparison->match.from_other(trace::TensorRef::node(e.node()));
    return ours.valid() ? Selection(NodeSelection{context().source->graph_id(), ours}) : Selection();
  }
  if (!item->step.valid()) return EventSelection{item->cell.span};
  if (const trace::GraphInfo* graph = context().source->graph(); item->layer && graph)
    return LayerSelection{graph->id, item->layer->name, nodes_in_layer(*graph, item->layer->name)};
  const trace::PlanInfo* plan = context().source->plan();
  const NodeId node =
      plan && item->step.index() < plan->order.size() ? plan->order[item->step.index()] : NodeId(item->step.value);
  return Selection::node(context().source->graph_id(), node);
}

QString TimelineView::nothing_to_show() const {
  const trace::Snapshot& s = *context().source->snapshot();
  if (s.event_count == 0) return tr("No run recorded, so there are no timings.");
  return picture_ && picture_->rows.empty() && picture_->snapshot && picture_->snapshot->event_count > 0
             ? tr("No timing in this file.")
             : QString();
}

}  // namespace arenascope::views
