// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/incomplete.h>
#include <views/common/plot_canvas.h>
#include <views/common/rect_plottable.h>
#include <views/common/tickers.h>

#include <QTimer>
#include <QVBoxLayout>

namespace arenascope::views {

namespace {
constexpr int kLeftMargin = 96, kRightMargin = 14, kBottomMargin = 24;
}

PlotCanvas::PlotCanvas(const ViewContext& context, QWidget* parent)
    : QWidget(parent), context_(context), plot_(new QCustomPlot(this)), header_(new Header(plot_)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot_);
  setMinimumSize(160, 58);  // three of them and a table fit on a screen 540 pixels high
  setFocusPolicy(Qt::StrongFocus);
  plot_->setFocusPolicy(Qt::NoFocus);
  plot_->setMouseTracking(true);
  plot_->setAutoAddPlottableToLegend(false);
  plot_->setNoAntialiasingOnDrag(true);
  plot_->setPlottingHints(QCP::phFastPolylines | QCP::phCacheLabels);

  plot_->plotLayout()->insertRow(0);
  plot_->plotLayout()->addElement(0, 0, header_);
  plot_->plotLayout()->setRowSpacing(0);
  QCPAxisRect* rect = plot_->axisRect();
  rect->setAutoMargins(QCP::msNone);  // all views have the same margins, so that their x axes are aligned
  rect->setMargins(QMargins(kLeftMargin, 4, kRightMargin, kBottomMargin));
  rect->setMinimumSize(20, 20);
  for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
    axis->setTickLength(0, 4);
    axis->setSubTickLength(0, 2);
    axis->grid()->setZeroLinePen(Qt::NoPen);
    axis->grid()->setSubGridVisible(false);
  }
  plot_->layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
  overlay_ = new OverlayPlottable(plot_->xAxis, plot_->yAxis, [this](QCPPainter* p) {
    if (chosen_) {
      QColor fill = colours().hover;
      fill.setAlpha(50);
      p->fillRect(QRectF(QPointF(x_axis()->coordToPixel(chosen_->lo), plot_->axisRect()->top()),
                         QPointF(x_axis()->coordToPixel(chosen_->hi), plot_->axisRect()->bottom() + 1)),
                  fill);
    }
    draw_overlay(p);
    draw_playhead(p);
    draw_notes(p);
    if (const QString why = reason_if_empty(); !why.isEmpty()) {
      p->setPen(colours().dim_text);
      p->drawText(plot_->axisRect()->rect().adjusted(20, 0, -20, 0), Qt::AlignCenter | Qt::TextWordWrap, why);
    }
  });
}

void PlotCanvas::set_header(HeaderContent content) {
  const SessionSource& s = *context_.source;
  const QStringList notes = incomplete_notes(*s.snapshot(), s.run());
  if (!notes.isEmpty()) content.facts.prepend(tr("incomplete: %1").arg(notes.join(QStringLiteral(", "))));
  const trace::Run* run = s.snapshot()->run(s.run());
  if (const int64_t lost = run ? run->lost : s.snapshot()->lost; lost > 0)
    content.figures.push_back(figure(run ? run_figure(s.run(), "lost_events") : "recording.lost_events",
                                     static_cast<double>(lost), FigureUnit::Count));
  header_->set_content(std::move(content));
}

void PlotCanvas::set_pixel_ratio(double ratio) {
  if (ratio == plot_->bufferDevicePixelRatio()) return;
  plot_->setBufferDevicePixelRatio(ratio);
  plot_->setPlottingHint(QCP::phCacheLabels, ratio == devicePixelRatioF());  // cached labels have the screen's ratio
  plot_->replot(QCustomPlot::rpImmediateRefresh);
}

void PlotCanvas::redraw() { plot_->replot(QCustomPlot::rpQueuedReplot); }

void PlotCanvas::redraw_overlay() {
  if (overlay_asked_ || !isVisible()) return;
  overlay_asked_ = true;
  QTimer::singleShot(0, this, [this] {
    overlay_asked_ = false;
    plot_->layer(QStringLiteral("overlay"))->replot();
  });
}

void PlotCanvas::draw_playhead(QCPPainter* p) const {
  const SharedAxis& axis = *context_.axis;
  if (!axis.current().valid()) return;
  const QRect area = plot_->axisRect()->rect();
  const AxisFrame& f = axis.frame();
  const double a = x_axis()->coordToPixel(f.x_of_step(axis.current().value));
  const double b = x_axis()->coordToPixel(f.x_of_step(axis.current().value + 1));
  if (b < area.left() || a > area.right()) return;
  p->setAntialiasing(false);
  QColor fill = colours().playhead;
  if (b - a >= 3) {
    fill.setAlpha(24);
    fill_at_once(p, QRectF(a, area.top(), b - a, area.height()).intersected(QRectF(area)).toRect(), fill);
  }
  fill.setAlpha(190);
  const int x = static_cast<int>(std::lround((a + b) / 2));
  if (x >= area.left() && x <= area.right()) fill_at_once(p, QRect(x, area.top(), 1, area.height()), fill);
}

// Draws each note as a dashed line with its text on a flag at the bottom of the plot, and a range as a bar.
void PlotCanvas::draw_notes(QCPPainter* p) const {
  const QRect area = plot_->axisRect()->rect();
  const QColor colour = colours().category(3);
  p->setFont(plot_->font());
  const QFontMetrics metrics = p->fontMetrics();
  const int h = metrics.height() + 2;
  if (context_.notes == nullptr) return;
  for (const PinnedNote& note : context_.notes->all()) {
    const double begin = std::floor(x_axis()->coordToPixel(context_.notes->x_of(note)));
    const double end = std::floor(x_axis()->coordToPixel(context_.notes->x_end_of(note)));
    if (!(std::max(begin, end) >= area.left() && begin <= area.right())) continue;
    const double x = std::max<double>(begin, area.left());  // a range may begin before the visible part
    p->setAntialiasing(false);
    p->setPen(QPen(colour, 1, Qt::DashLine));
    if (begin >= area.left()) p->drawLine(QLineF(x, area.top(), x, area.bottom()));
    if (end > begin) {
      const double right = std::min<double>(end, area.right());
      if (end <= area.right()) p->drawLine(QLineF(end, area.top(), end, area.bottom()));
      p->fillRect(QRectF(x, area.bottom() - 4, right - x, 3), colour);
    }
    if (area.height() < 3 * h) continue;
    const QString text = metrics.elidedText(note.text.simplified(), Qt::ElideRight, 180);
    const int width = metrics.horizontalAdvance(text) + 10;
    const bool left = x + width > area.right();
    const QRectF flag(left ? x - width : x, area.bottom() - h - 6, width, h);
    p->fillRect(flag, colour);
    p->setPen(ThemeColours::text_on(colour));
    p->drawText(flag, Qt::AlignCenter, text);
  }
}

void PlotCanvas::draw_range(QCPPainter* p, AxisRange range, bool selected) const {
  const QRect area = plot_->axisRect()->rect();
  double a = x_axis()->coordToPixel(range.lo), b = x_axis()->coordToPixel(range.hi);
  if (b < area.left() || a > area.right()) return;
  a = std::max<double>(a, area.left());
  b = std::clamp<double>(b, a + 1, area.right() + 1);
  p->setAntialiasing(false);
  QColor fill = selected ? colours().selection_outer : colours().hover;
  fill.setAlpha(selected ? 26 : 16);
  fill_at_once(p, QRectF(a, area.top(), b - a, area.height()).toRect(), fill);
  if (!selected) return;
  fill.setAlpha(150);
  for (const double x : {a, b - 1})
    fill_at_once(p, QRect(static_cast<int>(std::floor(x)), area.top(), 1, area.height()), fill);
  // A bar with the double outline at the bottom, where it hides nothing.
  const QRectF bar(a, area.bottom() - 4, b - a, 5);
  p->fillRect(bar, colours().selection_outer);
  if (bar.width() > 4) p->fillRect(bar.adjusted(1, 1, -1, -1), colours().selection_inner);
}

void PlotCanvas::draw_selected_ranges(QCPPainter* p) const {
  const SelectionModel& model = *context_.selection;
  if (!painting_ && !model.hovered().empty() && !(model.hovered() == model.current())) {
    if (const auto r = range_of(model.hovered())) draw_range(p, *r, false);
  }
  if (const auto r = range_of(model.current())) draw_range(p, *r, true);
}

void PlotCanvas::lay_out() {
  for (const auto phase : {QCPLayoutElement::upPreparation, QCPLayoutElement::upMargins, QCPLayoutElement::upLayout}) {
    plot_->plotLayout()->update(phase);
  }
}

void PlotCanvas::apply_axis() {
  const SharedAxis& axis = *context_.axis;
  x_axis()->setRange(axis.range().lo, axis.range().hi);
  const bool steps = axis.mode() == AxisMode::Step;
  const bool has_runs = dynamic_cast<RunTicker*>(x_axis()->ticker().data()) != nullptr;
  const bool has = dynamic_cast<StepTicker*>(x_axis()->ticker().data()) != nullptr && !has_runs;
  const bool has_time = dynamic_cast<TimeTicker*>(x_axis()->ticker().data()) != nullptr;
  if (steps && !has) {
    x_axis()->setTicker(QSharedPointer<QCPAxisTicker>(new StepTicker));
  } else if (axis.frame().by_runs() && !has_runs) {
    x_axis()->setTicker(QSharedPointer<QCPAxisTicker>(new RunTicker));
  } else if (!steps && !axis.frame().by_runs() && !has_time) {
    x_axis()->setTicker(QSharedPointer<QCPAxisTicker>(new TimeTicker));
  }
  if (auto* ticker = dynamic_cast<StepTicker*>(x_axis()->ticker().data())) ticker->set_end(axis.limits().hi);
  x_axis()->ticker()->setTickCount(std::clamp(plot_->axisRect()->width() / 110, 2, 12));
  show_axes();
}

QString PlotCanvas::reason_if_empty() const { return context_.source->session() ? nothing_to_show() : QString(); }

bool PlotCanvas::shows_moment() const {
  const SharedAxis& axis = *context_.axis;
  return axis.has_time() && !axis.has_steps() && axis.limits().length() <= 1;  // nanoseconds
}

void PlotCanvas::show_axes() {
  const bool empty = !reason_if_empty().isEmpty(), moment = shows_moment();
  x_axis()->setVisible(!empty);
  y_axis()->setVisible(!empty);
  x_axis()->setTicks(!moment);
  x_axis()->setTickLabels(!moment);
  x_axis()->grid()->setVisible(!moment);
}

void PlotCanvas::apply_theme() {
  const ThemeColours& c = colours();
  plot_->setBackground(QBrush(c.background));
  header_->set_colours(c);
  QFont small = font();
  small.setPointSizeF(std::max(7.0, font().pointSizeF() * 0.9));
  plot_->setFont(small);
  for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
    axis->setBasePen(QPen(c.axis));
    axis->setTickPen(QPen(c.axis));
    axis->setSubTickPen(QPen(c.axis));
    axis->setTickLabelColor(c.dim_text);
    axis->setLabelColor(c.dim_text);
    axis->setTickLabelFont(small);
    axis->setLabelFont(small);
    axis->grid()->setPen(QPen(c.grid));
  }
  restyle();
}

std::optional<AxisRange> PlotCanvas::range_of(const Selection& selection) const {
  const AxisFrame& f = context_.axis->frame();
  const trace::Snapshot& s = *context_.source->snapshot();
  const trace::PlanInfo* plan = context_.source->plan();
  const auto steps = [&](Step a, Step b) { return AxisRange{f.x_of_step(a.value), f.x_of_step(b.value)}; };
  if (const auto* range = selection.get<StepRangeSelection>()) return steps(range->first, range->last);
  if (const auto* range = selection.get<TimeRangeSelection>())
    return AxisRange{f.x_of_time(range->begin), f.x_of_time(range->end)};
  if (const auto* layer = selection.get<LayerSelection>()) {
    const auto of_layer = steps_of(*layer, plan);
    return of_layer ? std::optional(steps(of_layer->first, of_layer->last)) : std::nullopt;
  }
  if (const auto* event = selection.get<EventSelection>()) {
    const trace::SpanRef& span = event->span;
    if (span.track.index() < s.tracks.size() && span.lane < s.tracks[span.track.index()].lanes.size() &&
        span.row < s.tracks[span.track.index()].lanes[span.lane].rows.size()) {
      const trace::Event& e = s.event(span);
      return AxisRange{f.x_of_time(e.begin()), f.x_of_time(e.end())};
    }
  }
  std::optional<AxisRange> found;
  const auto add = [&](AxisRange r) {
    found = found ? AxisRange{std::min(found->lo, r.lo), std::max(found->hi, r.hi)} : r;
  };
  const auto* node = selection.get<NodeSelection>();
  const auto* block = selection.get<BlockSelection>();
  const auto* addresses = selection.get<AddressRangeSelection>();
  if (plan) {
    for (const trace::SliceInfo& slice : plan->slices) {
      const bool meant = (node && slice.tensor == node->tensor) || (block && slice.block == block->block) ||
                         (addresses && slice.offset < addresses->last && addresses->first < slice.offset + slice.size);
      if (meant) add(steps(slice.first, slice.last));
    }
  }
  if (!found && node && node->tensor.is_node()) {
    if (const auto t = s.time_of(context_.source->run(), NodeId(node->tensor.index()))) {
      return AxisRange{f.x_of_time(t->begin), f.x_of_time(t->end)};
    }
    if (plan) {
      for (size_t i = 0; i < plan->order.size(); ++i) {
        if (plan->order[i].value == static_cast<int32_t>(node->tensor.index())) return steps(Step(i), Step(i + 1));
      }
    }
  }
  return found;
}

}  // namespace arenascope::views
