// SPDX-License-Identifier: GPL-3.0-or-later
// Background of the timeline: row names and lines, and the background of pinned rows.
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

// Background of pinned rows that cover other rows.
class TimelinePinnedGround : public PlotLayer {
 public:
  TimelinePinnedGround(QCPAxis* x, QCPAxis* y, const TimelineView* view);

 protected:
  void draw(QCPPainter* p) override;

 private:
  const TimelineView* view_;
};

}  // namespace arenascope::views
