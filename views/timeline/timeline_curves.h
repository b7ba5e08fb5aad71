// SPDX-License-Identifier: GPL-3.0-or-later
// Counters of a trace as curves, one row each.
#pragma once
#include <views/common/plot_layer.h>
#include <views/timeline/counter_curve.h>

namespace arenascope::views {

class TimelineView;

class TimelineCurves : public PlotLayer {
 public:
  TimelineCurves(QCPAxis* x, QCPAxis* y, const TimelineView* view);

 protected:
  void draw(QCPPainter* p) override;

 private:
  void draw_curve(QCPPainter* p, const CounterCurve& curve, const QColor& colour) const;

  const TimelineView* view_;
};

}  // namespace arenascope::views
