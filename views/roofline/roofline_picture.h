// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a roofline plot as data: points, roofs and ticks on logarithmic axes. A pure function without widgets.
#pragma once
#include <arenascope/trace/roofline.h>

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <vector>

namespace arenascope::views {

// Positions on a logarithmic axis, in pixels.
struct LogAxis {
  double lo = 1, hi = 10;      // values at the ends
  double first = 0, last = 1;  // pixels of the ends; last < first on a vertical axis
  double position(double value) const;
  double value(double position) const;
  bool operator==(const LogAxis&) const = default;
};

struct RooflineTick {
  double value = 0, position = 0;
  bool labelled = false;
};

struct RooflineDot {
  size_t point = 0;  // index in Roofline::points
  QPointF centre;
  double radius = 0;      // its area grows with the share of the total time
  bool labelled = false;  // one of the nodes that take the most time
};

struct RooflinePicture {
  QRectF area;
  LogAxis x, y;  // FLOP/B, GFLOP/s
  std::vector<RooflineTick> x_ticks, y_ticks;
  std::vector<RooflineDot> dots;  // large ones first, so that small ones are drawn on top
  QPolygonF roof;                 // bandwidth, ridge, arithmetic; empty: the peaks are unknown
  const RooflineDot* dot_at(const QPointF& position, double reach) const;  // the nearest centre; null: none
};
RooflinePicture lay_out_roofline(const trace::Roofline& roofline, const trace::Roofs& roofs, const QRectF& area);

}  // namespace arenascope::views
