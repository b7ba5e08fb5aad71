// SPDX-License-Identifier: GPL-3.0-or-later
// The space that a lesson needs in a small window.
#pragma once
#include <arenascope/lesson/facts.h>
#include <arenascope/lesson/lesson.h>

#include <string>

namespace arenascope::app {

// Why text and question of a step do not fit into the lesson panel of a window of 1366 × 768 pixels without scrolling;
// "": they do. `scene` has the values of the step's figures. Needs a QApplication, but no window.
std::string misfit(const lesson::Lesson& lesson, size_t step, const lesson::Scene& scene);

}  // namespace arenascope::app
