// SPDX-License-Identifier: GPL-3.0-or-later
// What stands behind the timeline's spans: the rows' names and lines, and the ground of those that are pinned to the top.
#pragma once
#include <views/common/plot_view.h>

namespace arenascope::views {

class TimelineView;

// Lines between the rows, and their names in the left margin.
class TimelineRows : public PlotLayer {
 public:
  TimelineRows(QCPAxis* x, QCPAxis* y, const TimelineView* view);

 protected:
  QRect clipRect() const override;
  void draw(QCPPainter* p) override;

 private:
  const TimelineView* view_;
};

// Behind pinned rows that stand over others.
class TimelinePinnedGround : public PlotLayer {
 public:
  TimelinePinnedGround(QCPAxis* x, QCPAxis* y, const TimelineView* view);

 protected:
  void draw(QCPPainter* p) override;

 private:
  const TimelineView* view_;
};

}  // namespace arenascope::views
