// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/plot_view.h>

#include <QPicture>
#include <QTimer>

namespace arenascope::views {

PlotView::PlotView(const ViewContext& context, QWidget* parent) : PlotCanvas(context, parent) {
  plot()->installEventFilter(this);
  connect(&background_, &Background::done, this, [this](const std::shared_ptr<const void>& result) {
    take(std::static_pointer_cast<const Prepared>(result));
  });
  connect(plot(), &QCustomPlot::afterReplot, this, &PlotView::painted);
}

PlotView::~PlotView() = default;

void PlotView::start() {
  setAccessibleName(view_name());
  connect(context().theme, &Theme::changed, this, [this] {
    apply_theme();
    redraw();
  });
  listen();
  apply_theme();
  apply_axis();
}

void PlotView::listen() {
  QObject* connections = connections_.reset();
  connect(context().axis, &SharedAxis::range_changed, connections, [this] { axis_moved(); });
  connect(context().axis, &SharedAxis::mode_changed, connections, [this] {
    apply_axis();
    prepare();
  });
  connect(context().axis, &SharedAxis::current_changed, connections, [this] { redraw_overlay(); });
  if (context().notes) connect(context().notes, &PinnedNotes::changed, connections, [this] { redraw_overlay(); });
  connect(context().source, &SessionSource::session_replaced, connections, [this] { show_nothing(); });
  connect(context().source, &SessionSource::changed, connections, [this] { prepare(); });
  connect(context().source, &SessionSource::comparison_changed, connections, [this] { prepare(); });
  connect(context().selection, &SelectionModel::current_changed, connections, [this] { redraw_overlay(); });
  connect(context().selection, &SelectionModel::hovered_changed, connections, [this] { redraw_overlay(); });
}

void PlotView::set_context(const ViewContext& context) {
  drag_ = Drag::None;
  chosen_.reset();
  use_context(context);
  listen();
  show_nothing();
  apply_axis();
  prepare();
}

// Another session: the shown data refers to the old one and is dropped immediately.
void PlotView::show_nothing() {
  background_.cancel();
  PrepareInput nothing = input(context().axis->range(), 16);
  nothing.snapshot = std::make_shared<const trace::Snapshot>();
  nothing.shown_plan = nothing.plan_before = nullptr;
  nothing.run = {};
  nothing.graph = nullptr;
  nothing.plan = nothing.ghost = nullptr;
  nothing.comparison = nullptr;
  prepared_ = prepare_function()(nothing, {});
  if (prepared_) show_fitted(prepared_);
  redraw();
}

// --- preparing

PrepareInput PlotView::input(AxisRange range, int pixels) const {
  const SessionSource& s = *context().source;
  PrepareInput in{
      s.snapshot(),        s.shown_plan(),  s.run(),       s.graph(), s.plan(), s.ghost_plan(), context().axis->frame(),
      std::max(pixels, 1), s.plan_before(), s.comparison()};
  in.axis.range = range;
  return in;
}

void PlotView::prepare() {
  stale_ = true;
  if (asked_ || !isVisible()) return;
  asked_ = true;
  QTimer::singleShot(0, this, [this] {
    asked_ = false;
    request();
  });
}

void PlotView::request() {
  stale_ = false;
  const AxisRange seen = context().axis->range();
  const AxisRange wide{seen.lo - seen.length(), seen.hi + seen.length()};
  const int width = std::max(plot()->axisRect()->width(), 16);
  background_.request([prepare = prepare_function(), in = input(wide, width * 3)](
                          std::stop_token stop) -> Background::Result { return prepare(in, std::move(stop)); });
}

void PlotView::take(const PreparedPtr& prepared) {
  const SharedAxis& axis = *context().axis;
  if (!prepared || prepared->mode != axis.mode() || prepared->by_runs != axis.frame().by_runs()) return;
  prepared_ = prepared;
  show_fitted(prepared);
  redraw();
}

// A legend with more or fewer rows changes the height of the plot, to which the views fit their content.
void PlotView::show_fitted(const PreparedPtr& prepared) {
  const int before = plot()->axisRect()->height();
  show_prepared(prepared);
  lay_out();
  if (plot()->axisRect()->height() != before) show_prepared(prepared);
  show_axes();
}

void PlotView::prepare_now() {
  background_.cancel();
  const AxisRange seen = context().axis->range();
  lay_out();
  apply_axis();
  take(prepare_function()(input(seen, std::max(plot()->axisRect()->width(), 16)), {}));
  stale_ = false;
  plot()->replot(QCustomPlot::rpImmediateRefresh);
}

void PlotView::paint(QPainter* painter, QSize size) {
  const PreparedPtr before = prepared_;
  const QRect viewport = plot()->viewport();
  plot()->setViewport(QRect(QPoint(), size));
  lay_out();
  apply_axis();
  const int width = std::max(size.width() - kSideMargins, 16);
  if (is_prepared(width)) {
    show_fitted(prepared_);
  } else if (PreparedPtr p = prepare_function()(input(context().axis->range(), width), {})) {
    prepared_ = p;
    show_fitted(p);
  }
  painting_ = true;
  QPicture picture;
  QCPPainter recorder(&picture);
  recorder.setMode(QCPPainter::pmNoCaching);
  recorder.fillRect(QRect(QPoint(), size), colours().background);
  plot()->toPainter(&recorder, size.width(), size.height());
  recorder.end();
  painting_ = false;
  painter->drawPicture(0, 0, picture);
  plot()->setViewport(viewport);
  lay_out();
  if (before) {
    prepared_ = before;
    show_prepared(before);
  }
  if (isVisible()) prepare();
}

// True if the visible range is covered at about `pixels`; a slightly different resolution is acceptable.
bool PlotView::covers(int pixels) const {
  const SharedAxis& axis = *context().axis;
  const AxisRange seen = axis.range();
  const double per_pixel = seen.length() / std::max(pixels, 1);
  const bool covered = prepared_ && prepared_->mode == axis.mode() && prepared_->by_runs == axis.frame().by_runs() &&
                       prepared_->covered.lo <= seen.lo && prepared_->covered.hi >= seen.hi;
  return covered && (prepared_->per_pixel == 0 ||
                     (prepared_->per_pixel < per_pixel * 1.25 && prepared_->per_pixel > per_pixel / 4));
}

bool PlotView::is_prepared(int pixels) const { return !stale_ && !background_.busy() && covers(pixels); }

void PlotView::axis_moved() {
  apply_axis();
  if (!covers(plot()->axisRect()->width())) prepare();
  redraw();
}

void PlotView::frame_selection() {
  const auto range = range_of(context().selection->current());
  if (!range) return context().axis->frame_all();
  const double air = range->length() * 0.25;
  context().axis->set_range({range->lo - air, range->hi + air});
}

}  // namespace arenascope::views
