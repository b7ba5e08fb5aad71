// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson as one self-contained web page: its steps with pictures, its questions judged by precomputed answers, in one or
// more languages. No widgets.
#pragma once
#include <QString>

#include "played_lesson.h"

namespace arenascope::app {

// `lessons`: the same lesson in several languages, each with its code ("en", "zh_CN"); the first is played. Each language
// is installed in turn (set_language()); afterwards the current one again. Errors: an action that fails, a question whose
// answers cannot be listed.
struct LessonText {
  QString language;
  lesson::Lesson lesson;
};
Result<std::string> lesson_page(const std::vector<LessonText>& lessons, const std::vector<PlayedStep>& played);

// Writes the page of a lesson, one given by its id in all languages. Errors: as above; the lesson cannot be read; the file
// cannot be written.
Status write_lesson_page(const QString& name, const QString& path);

// Writes the pages of the built-in lessons and an index into a folder, which is created. A lesson whose backend is missing
// is listed without a page.
Status write_course(const QString& folder);

}  // namespace arenascope::app
