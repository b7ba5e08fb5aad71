// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/durations/durations_view.h>

#include <views/common/format.h>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace arenascope::views {

namespace {

constexpr double kMarginX = 12;
constexpr int kDurationsRefreshMs = 300;  // during a run

}  // namespace

DurationsView::DurationsView(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  setObjectName(QStringLiteral("durations_view"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &DurationsView::prepare);
  connect(&preparing_, &Background::done, this,
          [this](const Background::Result& result) { take(std::static_pointer_cast<const DurationsData>(result)); });
  connect(context_.theme, &Theme::changed, this, qOverload<>(&QWidget::update));
  listen();
  retranslate();
}

void DurationsView::retranslate() {
  setAccessibleName(tr("Histogram of durations"));
  update();
}

void DurationsView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

void DurationsView::listen() {
  QObject* connections = connections_.reset();
  connect(context_.source, &SessionSource::session_replaced, connections, [this] {
    preparing_.cancel();
    take(nullptr);
  });
  connect(context_.source, &SessionSource::changed, connections, [this] { prepare_soon(); });
  connect(context_.selection, &SelectionModel::current_changed, connections, [this] { prepare_soon(); });
}

void DurationsView::set_context(const ViewContext& context) {
  Theme* theme = context_.theme;
  context_ = context;
  context_.theme = theme;
  listen();
  preparing_.cancel();
  take(nullptr);
  prepare_soon();
}

void DurationsView::prepare_soon() {
  stale_ = true;
  if (isVisible() && !timer_.isActive()) timer_.start(context_.source->live() ? kDurationsRefreshMs : 0);
}

void DurationsView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) prepare_soon();
}

void DurationsView::prepare() {
  stale_ = false;
  preparing_.request([snapshot = context_.source->snapshot(), graph = context_.source->graph_id(),
                      selection = context_.selection->current()](std::stop_token stop) -> Background::Result {
    return durations_of(*snapshot, graph, selection, stop);
  });
}

void DurationsView::prepare_now() {
  preparing_.cancel();
  timer_.stop();
  stale_ = false;
  take(durations_of(*context_.source->snapshot(), context_.source->graph_id(), context_.selection->current()));
}

void DurationsView::take(DurationsDataPtr data) {
  data_ = std::move(data);
  hovered_ = -1;
  setAccessibleDescription(
      data_ ? DurationsText::heading(*data_) + QStringLiteral("; ") + DurationsText::summary(*data_) : QString());
  update();
}

QRectF DurationsView::area_in(QSize size) const {
  const double line = fontMetrics().height(), top = 2 * line + 14, below = line + 8;
  return {kMarginX, top, std::max(size.width() - 2 * kMarginX, 1.0), std::max(size.height() - top - below, 1.0)};
}

double DurationsView::x_of(double duration, const QRectF& area) const {
  const auto& bins = data_->histogram.bins;
  const double lo = bins.front().begin, hi = bins.back().end;
  if (!(hi > lo)) return area.center().x();
  const double share =
      data_->histogram.logarithmic ? std::log(duration / lo) / std::log(hi / lo) : (duration - lo) / (hi - lo);
  return area.left() + share * area.width();
}

QRectF DurationsView::rect_of(size_t bin) const { return column_in(area_in(size()), bin); }

QRectF DurationsView::column_in(const QRectF& area, size_t bin) const {
  const auto& bins = data_->histogram.bins;
  if (bins.size() == 1) return {area.center().x() - 20, area.top(), 40, area.height()};
  const double left = x_of(bins[bin].begin, area);
  return {left, area.top(), x_of(bins[bin].end, area) - left, area.height()};
}

int DurationsView::bin_at(const QPointF& position) const {
  if (!data_) return -1;
  for (size_t i = 0; i < data_->histogram.bins.size(); ++i)
    if (rect_of(i).contains(position)) return static_cast<int>(i);
  return -1;
}

// --- drawing

// The number of a bar, in it or above it, where it fits.
void DurationsView::draw_count(QPainter& painter, const QRectF& bar, size_t count, const QColor& fill) const {
  const QFontMetrics metrics = painter.fontMetrics();
  const QString text = format_count(static_cast<int64_t>(count));
  if (metrics.horizontalAdvance(text) + 4 > bar.width()) return;
  const bool is_inside = bar.height() >= metrics.height() + 4;
  const double top = is_inside ? bar.top() + 2 : bar.top() - metrics.height() - 1;
  painter.setPen(is_inside ? ThemeColours::text_on(fill) : context_.theme->colours().text);
  painter.drawText(QRectF(bar.left(), top, bar.width(), metrics.height()), Qt::AlignCenter, text);
}

void DurationsView::draw_bins(QPainter& painter, const QRectF& area) const {
  const ThemeColours& colours = context_.theme->colours();
  const auto& bins = data_->histogram.bins;
  const size_t most = std::ranges::max(bins, {}, &trace::DurationBin::count).count;
  for (size_t i = 0; i < bins.size(); ++i) {
    if (bins[i].count == 0) continue;
    QRectF bar = column_in(area, i).adjusted(0, 0, -1, 0);
    const double height = std::max(2.0, area.height() * static_cast<double>(bins[i].count) / static_cast<double>(most));
    bar.setTop(area.bottom() - height);
    const bool marked = data_->marked >= 0 && static_cast<double>(data_->marked) >= bins[i].begin &&
                        (static_cast<double>(data_->marked) < bins[i].end || i + 1 == bins.size());
    const QColor fill =
        static_cast<int>(i) == hovered_ ? mixed(colours[Role::Work], colours.text, 0.25) : colours[Role::Work];
    painter.fillRect(bar, fill);
    draw_count(painter, bar, bins[i].count, fill);
    if (!marked) continue;
    painter.setPen(QPen(colours.selection_outer, 3));
    painter.drawRect(bar.adjusted(1, 1, -1, -1));
  }
}

// Lines with their names above, which are omitted where they would overlap.
void DurationsView::draw_percentiles(QPainter& painter, const QRectF& area) const {
  const ThemeColours& colours = context_.theme->colours();
  const trace::DurationHistogram& histogram = data_->histogram;
  if (histogram.bins.size() < 2) return;
  const QFontMetrics metrics = painter.fontMetrics();
  double taken = -1e9;
  const std::pair<const char*, Nanoseconds> marks[] = {
      {"p50", histogram.p50}, {"p90", histogram.p90}, {"p99", histogram.p99}};
  for (const auto& [name, value] : marks) {
    const double x = x_of(static_cast<double>(value), area);
    QPen pen(colours.peak, 1.5);
    pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(x, area.top() - 3), QPointF(x, area.bottom()));
    const QString text = QLatin1String(name);
    const double width = metrics.horizontalAdvance(text), left = std::min(x - width / 2, area.right() - width);
    if (left < taken + 6) continue;
    painter.setPen(colours.text);
    painter.drawText(QPointF(left, area.top() - 6), text);
    taken = left + width;
  }
}

void DurationsView::draw_axis(QPainter& painter, const QRectF& area) const {
  const ThemeColours& colours = context_.theme->colours();
  painter.setPen(colours.axis);
  painter.drawLine(area.bottomLeft(), area.bottomRight());
  const auto& bins = data_->histogram.bins;
  const QFontMetrics metrics = painter.fontMetrics();
  painter.setPen(colours.dim_text);
  double taken = -1e9;
  const size_t every = std::max<size_t>(bins.size() / 4, 1);
  for (size_t i = 0; i <= bins.size(); i += every) {
    const bool last = i == bins.size();
    const double value = last ? bins.back().end : bins[i].begin;
    const QString text = format_ns(static_cast<Nanoseconds>(std::llround(value)));
    const double width = metrics.horizontalAdvance(text), x = x_of(value, area);
    const double left = std::clamp(x - width / 2, area.left(), std::max(area.right() - width, area.left()));
    if (left < taken + 10) continue;
    painter.drawText(QPointF(left, area.bottom() + 4 + metrics.ascent()), text);
    taken = left + width;
    if (bins.size() == 1) break;
  }
}

void DurationsView::draw(QPainter& painter, QSize size) const {
  const ThemeColours& colours = context_.theme->colours();
  painter.fillRect(QRect({0, 0}, size), colours.background);
  if (!data_ || data_->histogram.bins.empty()) {
    painter.setPen(colours.dim_text);
    const QString text = !data_ || data_->of == DurationsOf::None
                             ? tr("Select a node or a span to see the distribution of its durations.")
                             : tr("No time was observed for %1.").arg(data_->title);
    return painter.drawText(QRect({0, 0}, size).adjusted(20, 0, -20, 0), Qt::AlignCenter | Qt::TextWordWrap, text);
  }
  const QRectF area = area_in(size);
  const QFontMetrics metrics = painter.fontMetrics();
  const QRectF line(kMarginX, 3, size.width() - 2 * kMarginX, metrics.height());
  const QString summary = DurationsText::summary(*data_);
  const int right = metrics.horizontalAdvance(summary);
  painter.setPen(colours.text);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(DurationsText::heading(*data_), Qt::ElideMiddle,
                                      std::max(static_cast<int>(line.width()) - right - 20, 60)));
  painter.setPen(colours.dim_text);
  if (right + 80 < line.width()) painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, summary);
  draw_bins(painter, area);
  draw_percentiles(painter, area);
  draw_axis(painter, area);
}

void DurationsView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  draw(painter, size());
}

void DurationsView::paint(QPainter* painter, QSize size) {
  prepare_now();
  painter->save();
  painter->setClipRect(QRect({0, 0}, size));
  draw(*painter, size);
  painter->restore();
}

// --- mouse

// Selects the longest span of the bin.
void DurationsView::mousePressEvent(QMouseEvent* event) {
  const int bin = bin_at(event->position());
  if (event->button() != Qt::LeftButton || bin < 0 || data_->durations.spans.empty()) return;
  const trace::DurationBin& of = data_->histogram.bins[static_cast<size_t>(bin)];
  if (of.count > 0) context_.selection->select(EventSelection{data_->durations.spans[of.first + of.count - 1]});
}

void DurationsView::mouseMoveEvent(QMouseEvent* event) {
  if (const int bin = bin_at(event->position()); std::exchange(hovered_, bin) != bin) update();
}

void DurationsView::leaveEvent(QEvent*) {
  if (std::exchange(hovered_, -1) != -1) update();
}

bool DurationsView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int bin = bin_at(help->pos());
  if (bin < 0)
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), DurationsText::bin(*data_, static_cast<size_t>(bin)), this);
  return true;
}

}  // namespace arenascope::views
