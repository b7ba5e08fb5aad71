// SPDX-License-Identifier: GPL-3.0-or-later
// Collects the answers of a class in one CSV file, one row per answered question. Several programs may append to the
// same file on a shared disk.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/lesson/lesson.h>
#include <views/lesson/lesson_progress.h>

#include <QString>

namespace arenascope::views {

// Appends a row: time, learner, lesson, step (from 1), title, result (right or revealed), wrong answers, hints. The first
// row of a new file has the names of the columns. Errors: the file cannot be written; the message names it.
Status append_answer(const QString& path, const QString& learner, const lesson::Lesson& lesson, int step,
                     const Answered& answered);

// The name of the user of this computer.
QString learner_name();

}  // namespace arenascope::views
