// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/roofline/roofline_picture.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace arenascope::views {

namespace {

constexpr double kMinRadius = 3.5, kMaxRadius = 14;  // pixels
constexpr size_t kLabels = 6;
constexpr double kMaxDecades = 15;
constexpr double kFewDecades = 2.5;  // up to which 2 and 5 are labelled

struct Extent {
  double lo = 1e300, hi = 0;
  void add(double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    lo = std::min(lo, value);
    hi = std::max(hi, value);
  }
};

// With a margin of a factor on both sides, at least one decade.
LogAxis axis_of(Extent extent, double first, double last) {
  if (!(extent.hi > 0)) extent = {1, 1};
  extent.lo = std::max(extent.lo, extent.hi / std::pow(10, kMaxDecades));
  const double lack = std::max(1.0, std::sqrt(10 / (extent.hi / extent.lo)));
  return {extent.lo / 1.7 / lack, extent.hi * 1.7 * lack, first, last};
}

std::vector<RooflineTick> ticks_of(const LogAxis& axis) {
  std::vector<RooflineTick> out;
  const double decades = std::log10(axis.hi / axis.lo);
  const int step = std::max(static_cast<int>(std::ceil(decades / 8)), 1);
  const auto begin = static_cast<int>(std::floor(std::log10(axis.lo))), end = static_cast<int>(std::log10(axis.hi)) + 1;
  for (int decade = begin; decade <= end; ++decade)
    for (const int digit : {1, 2, 5}) {
      const double value = digit * std::pow(10, decade);
      if (value < axis.lo || value > axis.hi || (digit != 1 && step > 1)) continue;
      const bool labelled = digit == 1 ? ((decade % step) + step) % step == 0 : decades <= kFewDecades;
      out.push_back({value, axis.position(value), labelled});
    }
  return out;
}

QPolygonF roof_of(const trace::Roofs& roofs, const RooflinePicture& picture) {
  if (!roofs.known()) return {};
  const LogAxis &x = picture.x, &y = picture.y;
  const double left = std::max(x.lo, y.lo / roofs.bandwidth);  // where the slope enters the area
  if (left >= x.hi || roofs.gflops < y.lo) return {};          // outside the area
  QPolygonF out;
  for (const double intensity : {left, std::clamp(roofs.ridge(), left, x.hi), x.hi})
    out << QPointF(x.position(intensity), y.position(std::max(roofs.attainable(intensity), y.lo)));
  return out;
}

// Indices of the points, the longest median time first.
std::vector<size_t> by_time(const std::vector<trace::RooflinePoint>& points) {
  std::vector<size_t> order(points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return points[i].median; });
  return order;
}

}  // namespace

double LogAxis::position(double value) const {
  return first + std::log(value / lo) / std::log(hi / lo) * (last - first);
}

double LogAxis::value(double position) const { return lo * std::pow(hi / lo, (position - first) / (last - first)); }

const RooflineDot* RooflinePicture::dot_at(const QPointF& position, double reach) const {
  const RooflineDot* nearest = nullptr;
  double least = reach;
  for (const RooflineDot& dot : dots) {
    const QPointF away = dot.centre - position;
    const double distance = std::hypot(away.x(), away.y());
    if (distance > std::max(dot.radius, reach) || (nearest != nullptr && distance >= least)) continue;
    least = distance;
    nearest = &dot;
  }
  return nearest;
}

RooflinePicture lay_out_roofline(const trace::Roofline& roofline, const trace::Roofs& roofs, const QRectF& area) {
  RooflinePicture out;
  out.area = area;
  Extent intensity, speed;
  double all = 0;
  for (const trace::RooflinePoint& point : roofline.points) {
    intensity.add(point.intensity);
    speed.add(point.gflops);
    all += static_cast<double>(point.median);
  }
  if (roofs.known()) {
    intensity.add(roofs.ridge());
    speed.add(roofs.gflops);
  }
  out.x = axis_of(intensity, area.left(), area.right());
  out.y = axis_of(speed, area.bottom(), area.top());
  out.x_ticks = ticks_of(out.x);
  out.y_ticks = ticks_of(out.y);
  out.roof = roof_of(roofs, out);
  for (const size_t i : by_time(roofline.points)) {
    const trace::RooflinePoint& point = roofline.points[i];
    const double share = all > 0 ? static_cast<double>(point.median) / all : 0;
    out.dots.push_back({i,
                        {out.x.position(point.intensity), out.y.position(point.gflops)},
                        std::max(kMinRadius, kMaxRadius * std::sqrt(share)),
                        out.dots.size() < kLabels});
  }
  return out;
}

}  // namespace arenascope::views
