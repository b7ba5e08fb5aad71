// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/timeline/timeline_curves.h>
#include <views/timeline/timeline_view.h>

#include <algorithm>
#include <cmath>

namespace arenascope::views {

namespace {
constexpr double kCurveInset = 0.12;  // of a row, above and below the curve
}  // namespace

TimelineCurves::TimelineCurves(QCPAxis* x, QCPAxis* y, const TimelineView* view) : PlotLayer(x, y), view_(view) {}

void TimelineCurves::draw_curve(QCPPainter* p, const CounterCurve& curve, const QColor& colour) const {
  const double top = mValueAxis->coordToPixel(-curve.top - kCurveInset * curve.height),
               bottom = mValueAxis->coordToPixel(-curve.top - (1 - kCurveInset) * curve.height);
  const double span = std::max(curve.high - curve.low, 1e-300);
  const auto y_of = [&](double value) { return bottom - (value - curve.low) / span * (bottom - top); };
  QPolygonF line, low;
  for (const CounterPoint& point : curve.points) {
    const double x0 = mKeyAxis->coordToPixel(point.x0), x1 = mKeyAxis->coordToPixel(point.x1);
    line << QPointF(x0, y_of(point.max)) << QPointF(x1, y_of(point.max));
    low << QPointF(x0, y_of(point.min)) << QPointF(x1, y_of(point.min));
  }
  QPolygonF area = line;
  area << QPointF(line.back().x(), y_of(0)) << QPointF(line.front().x(), y_of(0));
  QColor fill = colour;
  fill.setAlpha(70);
  p->setPen(Qt::NoPen);
  p->setBrush(fill);
  p->drawPolygon(area);
  p->setBrush(Qt::NoBrush);
  p->setPen(QPen(colour, 1.3));
  p->drawPolyline(line);
  p->setPen(QPen(colour, 0.7));
  p->drawPolyline(low);
  const QFontMetrics metrics = p->fontMetrics();
  if (bottom - top < metrics.height() * 1.4) return;
  // The value of the upper end of the row.
  const QRect area_rect = mKeyAxis->axisRect()->rect();
  const QString high = counter_text(view_->picture()->snapshot->counters[curve.counter.index()], curve.high);
  p->setPen(view_->colours().dim_text);
  p->drawText(QRectF(area_rect.left() + 4, top - 1, area_rect.width() - 8, metrics.height()),
              Qt::AlignLeft | Qt::AlignVCenter, high);
}

void TimelineCurves::draw(QCPPainter* p) {
  if (!view_->picture()) return;
  const QRect area = mKeyAxis->axisRect()->rect();
  p->setFont(mParentPlot->font());
  for (const CounterCurve& curve : view_->picture()->curves) {
    if (curve.points.empty()) continue;
    const double top = mValueAxis->coordToPixel(-curve.top),
                 bottom = mValueAxis->coordToPixel(-curve.top - curve.height);
    if (bottom < std::max<double>(area.top(), view_->pinned_bottom()) || top > area.bottom()) continue;
    p->save();
    if (view_->pinned_bottom() > area.top())
      p->setClipRect(area.adjusted(0, static_cast<int>(view_->pinned_bottom()) - area.top(), 0, 0), Qt::IntersectClip);
    p->setAntialiasing(true);
    draw_curve(p, curve, view_->colours().category(static_cast<size_t>(curve.counter.value) % 6 + 1));
    p->restore();
  }
}

}  // namespace arenascope::views
