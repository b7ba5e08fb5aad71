// SPDX-License-Identifier: GPL-3.0-or-later
// Where lessons come from: the course, which is in the program's resources in each language, and files of the user's.
#pragma once
#include <arenascope/lesson/lesson.h>

#include <QString>
#include <QStringList>

namespace arenascope::views {

// The course's lessons in the order in which they are read.
QStringList lessons();
// The course's lesson in `language` or else in English; or what lies at a path. Errors: there is none, what
// lesson::parse() refuses.
Result<lesson::Lesson> load_lesson(const QString& id_or_path, const QString& language);
// Files of ~/.local/share/arenascope/lessons, by name.
QStringList own_lessons();
QString own_lessons_folder();

inline QString text_of(const std::string& text) { return QString::fromStdString(text); }

}  // namespace arenascope::views
