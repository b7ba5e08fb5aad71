// SPDX-License-Identifier: GPL-3.0-or-later
// The lesson at hand as a handout: each step's text and figures with a picture of the window, its question, and the
// answers at the end. HTML that needs no other file, or PDF.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/lesson/facts.h>

#include <QString>
#include <functional>

namespace arenascope::app {

struct Shell;

// Plays the lesson from its beginning, and comes back to where it was. Errors: no lesson is open, a step that does not
// come about, a file that cannot be written.
// `played` is told each step's number, from 0, and what its page is made from.
using PlayedStep = std::function<void(int step, const lesson::Scene& scene)>;
Status write_handout(const Shell& shell, const QString& path, const PlayedStep& played = nullptr);

// The window as a step of the lesson at hand (counted from 1) wants it, as PNG. Errors: those, no such step.
Status write_lesson_picture(const Shell& shell, int step, const QString& path);

}  // namespace arenascope::app
