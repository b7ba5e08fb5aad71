// SPDX-License-Identifier: GPL-3.0-or-later
// Sources of lessons: the course in the program's resources, in several languages, and the user's own files.
#pragma once
#include <arenascope/lesson/lesson.h>

#include <QString>
#include <QStringList>

namespace arenascope::views {

// Ids of the course's lessons, in reading order.
QStringList lessons();
// Loads a lesson of the course in `language`, with English as fallback, or a file by path. Fails if it does not exist
// or lesson::parse() rejects it.
Result<lesson::Lesson> load_lesson(const QString& id_or_path, const QString& language);
// The argument of load_lesson() for a lesson: the id of a built-in lesson, otherwise its file.
QString load_name(const lesson::Lesson& lesson);
// Files in ~/.local/share/arenascope/lessons, sorted by name.
QStringList own_lessons();
QString own_lessons_folder();

inline QString text_of(const std::string& text) { return QString::fromStdString(text); }

}  // namespace arenascope::views
