// SPDX-License-Identifier: GPL-3.0-or-later
// What a lesson names of the window: panels, layouts, other lessons.
#pragma once
#include <arenascope/lesson/lesson.h>

namespace arenascope::app {

// Each name that there is not, with file and line.
std::vector<Error> wrong_names(const lesson::Lesson& lesson);

// What `shut:` names beside panels: the line above those at the bottom, which tells arena and bound.
inline constexpr const char* kHeadlineName = "headline";

}  // namespace arenascope::app
