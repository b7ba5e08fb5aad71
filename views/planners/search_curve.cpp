// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/planners/search_curve.h>

#include <QPainter>
#include <algorithm>

namespace arenascope::views {

SearchCurve::SearchCurve(Theme* theme, QWidget* parent) : QWidget(parent), theme_(theme) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(tr("Progress of the search"));
  hide();  // hidden until there is data
  connect(theme_, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void SearchCurve::show_progress(SearchProgress progress) {
  if (progress == progress_) return;
  progress_ = std::move(progress);
  setVisible(!progress_.points.empty());
  setAccessibleDescription(summary());
  setToolTip(summary());
  update();
}

void SearchCurve::set_fit_under(Bytes bytes) {
  if (bytes == fit_under_) return;
  fit_under_ = bytes;
  update();
}

QString SearchCurve::summary() const {
  if (progress_.points.empty()) return {};
  const SearchProgress::Point& last = progress_.points.back();
  QString text =
      tr("%1 after %2").arg(format_bytes(last.arena), format_ns(static_cast<Nanoseconds>(last.seconds * 1e9)));
  if (last.bound > 0) text += tr(", lower bound %1").arg(format_bytes(last.bound));
  return text;
}

void SearchCurve::paintEvent(QPaintEvent*) {
  QPainter p(this);
  const ThemeColours& c = theme_->colours();
  p.fillRect(rect(), c.background);
  const int h = fontMetrics().height();
  const QRect area = rect().adjusted(8, h + 6, -8, -6);
  p.setPen(c.dim_text);
  const QRect caption(8, 3, width() - 16, h);
  if (progress_.points.empty()) return;
  if (area.height() < 12) return p.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, summary());
  p.drawText(caption, Qt::AlignLeft | Qt::AlignVCenter,
             fontMetrics().elidedText(summary(), Qt::ElideRight, caption.width()));
  draw_curve(p, area);
}

// Draws the largest and smallest bytes on the left, 0 and the last second at the bottom, if they fit.
QRect SearchCurve::draw_axes(QPainter& p, const QRect& whole, double most, double least, double seconds) const {
  const QFontMetrics metrics = fontMetrics();
  const int h = metrics.height();
  const QString top = format_bytes(static_cast<Bytes>(most)), low = format_bytes(static_cast<Bytes>(least));
  const int left = std::max(metrics.horizontalAdvance(top), metrics.horizontalAdvance(low)) + 8;
  if (whole.height() < 4 * h || whole.width() < 3 * left) return whole;
  const QRect area = whole.adjusted(left, 0, 0, -h - 2);
  const ThemeColours& c = theme_->colours();
  p.setPen(c.dim_text);
  const QRect names(whole.left(), area.top(), left - 6, area.height());
  p.drawText(names, Qt::AlignRight | Qt::AlignTop, top);
  if (least < most) p.drawText(names, Qt::AlignRight | Qt::AlignBottom, low);
  const QRect below(area.left(), area.bottom() + 3, area.width(), h);
  p.drawText(below, Qt::AlignLeft | Qt::AlignVCenter, tr("0 s"));
  p.drawText(below, Qt::AlignRight | Qt::AlignVCenter, format_ns(static_cast<Nanoseconds>(seconds * 1e9)));
  p.fillRect(QRect(area.left() - 1, area.top(), 1, area.height() + 1), c.axis);
  return area;
}

void SearchCurve::draw_curve(QPainter& p, const QRect& whole) const {
  const ThemeColours& c = theme_->colours();
  // Range down to the lower bound or the limit, whichever is lower, with some padding.
  double hi = 0, lo = 1e300;
  for (const SearchProgress::Point& point : progress_.points) {
    hi = std::max(hi, static_cast<double>(point.arena));
    lo = std::min(lo, static_cast<double>(point.bound > 0 ? point.bound : point.arena));
  }
  if (fit_under_ > 0) {
    hi = std::max(hi, static_cast<double>(fit_under_));
    lo = std::min(lo, static_cast<double>(fit_under_));
  }
  const double most = hi, least = lo, air = std::max((hi - lo) * 0.12, hi * 0.002);
  hi += air;
  lo -= air;
  const double end = std::max(
      {progress_.ended, progress_.points.back().seconds, progress_.ended < 0 ? progress_.budget_seconds : 0.0, 1e-6});
  const QRect area = draw_axes(p, whole, most, least, end);
  const auto x = [&](double seconds) { return area.left() + std::min(seconds / end, 1.0) * area.width(); };
  const auto y = [&](double bytes) { return area.bottom() - (bytes - lo) / (hi - lo) * area.height(); };
  p.fillRect(QRectF(area.left(), area.bottom() + 1, area.width(), 1), c.axis);
  const auto line = [&](double bytes, const QColor& colour, const QList<qreal>& dashes) {
    QPen pen(colour, 2);
    pen.setDashPattern(dashes);
    p.setPen(pen);
    p.drawLine(QPointF(area.left(), y(bytes)), QPointF(area.right(), y(bytes)));
  };
  if (fit_under_ > 0) line(static_cast<double>(fit_under_), c.capacity, {7, 3, 2, 3});
  QPolygonF bound, arena;
  for (size_t i = 0; i < progress_.points.size(); ++i) {
    const double next = i + 1 < progress_.points.size() ? progress_.points[i + 1].seconds
                        : progress_.ended >= 0          ? progress_.ended
                                                        : progress_.points[i].seconds;
    arena << QPointF(x(progress_.points[i].seconds), y(static_cast<double>(progress_.points[i].arena)))
          << QPointF(x(std::max(next, progress_.points[i].seconds)), y(static_cast<double>(progress_.points[i].arena)));
    if (progress_.points[i].bound > 0)
      bound << QPointF(x(progress_.points[i].seconds), y(static_cast<double>(progress_.points[i].bound)))
            << QPointF(x(std::max(next, progress_.points[i].seconds)),
                       y(static_cast<double>(progress_.points[i].bound)));
  }
  p.setRenderHint(QPainter::Antialiasing);
  QPen pen(c.bound, 2);
  pen.setDashPattern({4, 3});
  p.setPen(pen);
  p.drawPolyline(bound);
  p.setPen(QPen(c[Role::Work], 2));
  p.drawPolyline(arena);
  p.setBrush(c[Role::Work]);
  p.setPen(QPen(c.background, 1));
  p.drawEllipse(arena.back(), 4, 4);
}

}  // namespace arenascope::views
