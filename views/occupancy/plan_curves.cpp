// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/occupancy/plan_curves.h>

#include <algorithm>

namespace arenascope::views {

std::vector<CurveSegment> PlanCurves::of(const std::shared_ptr<const trace::PlanInfo>& plan, const AxisFrame& axis,
                                         const std::stop_token& stop) {
  if (!plan) return {};
  std::shared_ptr<const std::vector<CurveSegment>> by_step;
  {
    const std::lock_guard lock(mutex_);
    for (const Curve& curve : curves_)
      if (curve.plan == plan) by_step = curve.levels;
  }
  if (!by_step) {
    AxisFrame steps = axis;
    steps.mode = AxisMode::Step;
    steps.align = nullptr;
    by_step = std::make_shared<const std::vector<CurveSegment>>(sweep(planned_rects(*plan, steps), false, stop).live);
    if (stop.stop_requested()) return {};
    const std::lock_guard lock(mutex_);
    ++swept_;
    if (curves_.size() == kMaxEntries) curves_.erase(curves_.begin());
    curves_.push_back({plan, by_step});
  }
  std::vector<CurveSegment> levels = *by_step;
  for (CurveSegment& level : levels) level.x0 = axis.x_of_step(level.x0), level.x1 = axis.x_of_step(level.x1);
  std::erase_if(levels, [](const CurveSegment& level) { return level.x1 <= level.x0; });
  return levels;
}

}  // namespace arenascope::views
