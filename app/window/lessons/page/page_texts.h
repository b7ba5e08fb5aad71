// SPDX-License-Identifier: GPL-3.0-or-later
// The texts of a lesson page in the current language: of each step, its tables, and the replies to all answers to its
// question, as judged by the engine.
#pragma once
#include "picture_data.h"

namespace arenascope::app {

// Title, text, question and tables of a step. Errors: a question whose answers cannot be listed.
Result<Json> step_texts(const lesson::LessonStep& step, const PlayedStep& played);

// Titles of all panels by id.
Json panel_titles();

}  // namespace arenascope::app
