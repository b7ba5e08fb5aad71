// SPDX-License-Identifier: GPL-3.0-or-later
// A file that is open, a tab of the window: its controller with all that runs in it, and how it was looked at last. The
// window shows one at a time; the views know nothing of the others.
#pragma once
#include <views/common/shared_axis.h>

#include "run_controller.h"

namespace arenascope::app {

struct Document {
  std::unique_ptr<RunController> controller = std::make_unique<RunController>();
  std::shared_ptr<trace::Session> session;  // what is shown; null: nothing was opened yet
  QString title;
  QString tip;           // where it came from
  bool to_peak = false;  // the playhead goes to the peak when the first run is through
  // As it was left for another tab.
  struct Look {
    views::AxisMode mode = views::AxisMode::Step;
    views::AxisRange range;
    Step current;
    views::Selection selection;
    std::shared_ptr<const trace::PlanInfo> shown_plan;
  };
  std::optional<Look> look;
  bool empty() const { return !session && controller->state() == RunState::Empty; }
};

}  // namespace arenascope::app
