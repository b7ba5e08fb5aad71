// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson's own small graph as a session, so that every view shows it as it shows a model.
#pragma once
#include <arenascope/trace/session.h>
#include <views/lesson/lesson.h>

namespace arenascope::views {

// Described, and planned without any reuse; nothing runs. Errors: the lesson has no graph, or one that cannot be
// planned.
Result<std::shared_ptr<trace::Session>> lesson_session(const Lesson& lesson);

}  // namespace arenascope::views
