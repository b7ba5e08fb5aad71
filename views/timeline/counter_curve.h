// SPDX-License-Identifier: GPL-3.0-or-later
// The curve of a counter on the axis, and its texts.
#pragma once
#include <views/common/figure.h>
#include <views/common/sweep.h>

namespace arenascope::views {

// One pixel of a curve.
struct CounterPoint {
  double x0 = 0, x1 = 0;
  double min = 0, max = 0;
};

struct CounterCurve {
  trace::CounterId counter;
  double top = 0, height = 1;        // of its row, in rows
  double low = 0, high = 0;          // of the whole trace, with 0
  std::vector<CounterPoint> points;  // from the first sample on
};

// The curve within the range of the axis, with one point a pixel; nothing without samples.
CounterCurve curve_of(const trace::Snapshot& snapshot, trace::CounterId counter, const AxisFrame& axis, int pixels);
// "2.6 GiB", "12.5 %", "3 tokens"
QString counter_text(const trace::CounterInfo& counter, double value);

// The curve in the row at that distance from the top, in rows; null: none.
const CounterCurve* curve_at(const std::vector<CounterCurve>& curves, double y);
// The value at a time, independent of the resolution of the curve.
FigureText counter_tip(const trace::Snapshot& snapshot, const CounterCurve& curve, Nanoseconds time);

}  // namespace arenascope::views
