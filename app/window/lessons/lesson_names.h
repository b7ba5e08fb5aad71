// SPDX-License-Identifier: GPL-3.0-or-later
// Checks the panels, layouts and lessons that a lesson refers to.
#pragma once
#include <arenascope/lesson/lesson.h>

namespace arenascope::app {

// Errors with file and line for each unknown name.
std::vector<Error> wrong_names(const lesson::Lesson& lesson);

// Accepted by `hide:` besides panels: the summary bar, which shows arena and lower bound.
inline constexpr const char* kSummaryBarName = "headline";

// In FactInfo::shown_in besides panels: the number of runs in the toolbar.
inline constexpr const char* kRunNumberName = "toolbar";

}  // namespace arenascope::app
