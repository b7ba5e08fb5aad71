// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson played without a window: the state of the stage at each step, before and after its question is answered.
#pragma once
#include <arenascope/lesson/stage.h>
#include <arenascope/schedule/findings.h>

#include <optional>

#include "app/window/panels/panel_id.h"

namespace arenascope::app {

struct PlayedState {
  lesson::Scene scene;
  std::vector<PanelId> panels;    // from top to bottom
  std::string selected;           // tensor; empty: none
  int32_t playhead = -1;          // step; -1: not set
  bool all_runs = false;          // a generation: its runs belong together
  std::vector<Finding> findings;  // if the panel is shown
};

struct PlayedStep {
  PlayedState before;
  std::optional<PlayedState> after;  // state after a question with follow-up actions
};

// Errors: an action that fails, with file and line.
Result<std::vector<PlayedStep>> play_lesson(const lesson::Lesson& lesson);

}  // namespace arenascope::app
