// SPDX-License-Identifier: GPL-3.0-or-later
// Handout of the current lesson: text and values of each step with a screenshot, its question, and the answers at the
// end, as PDF. The web page of a lesson is made by lesson_page/.
#pragma once
#include <arenascope/base/result.h>

#include <QString>

namespace arenascope::app {

struct Shell;

// Plays the lesson from the start and returns to the current step. Errors: no open lesson, a step that does not complete,
// a file that cannot be written.
Status write_handout(const Shell& shell, const QString& path);

// Saves the window at a step of the current lesson (counted from 1) as PNG. Errors: as above, or no such step.
Status write_lesson_picture(const Shell& shell, int step, const QString& path);

}  // namespace arenascope::app
