// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson as a value, read from a text file of resources/lessons:
//
//   title: One product
//   summary: Tensors, pool and graph of a single product.
//   graph:
//     a 1024            a buffer: name and bytes
//     b 2048 <- a       and what it reads
//
//   ## What is opened        a step's title
//   ! open zoo:mul_mat       what the window does on entering it, in turn
//   ! select result
//   Text in Markdown.
//
// To add one: a file for each language there, and its name in lessons().
#pragma once
#include <arenascope/base/result.h>

#include <QMap>
#include <QString>
#include <QStringList>
#include <vector>

namespace arenascope::views {

struct LessonAction {
  QString verb;  // one of lesson_verbs()
  QStringList arguments;
  bool operator==(const LessonAction&) const = default;
};

struct LessonStep {
  QString title;
  QString text;  // Markdown
  std::vector<LessonAction> actions;
};

struct LessonBuffer {
  QString name;
  int64_t bytes = 0;
  QStringList sources;  // earlier buffers
};

struct Lesson {
  QString id;  // the file's name before the language
  QString title, summary;
  std::vector<LessonBuffer> graph;  // its own; empty: it has none
  std::vector<LessonStep> steps;
};

// Verbs and how many arguments each takes.
const QMap<QString, int>& lesson_verbs();
// Errors: a line that is none of the above, an unknown verb, a buffer that reads a later one; the sentence has the
// line.
Result<Lesson> parse_lesson(const QString& id, const QString& text);

// The ids of the lessons there are, in the order in which they are read.
QStringList lessons();
// From the program's resources, in `language` or else in English.
Result<Lesson> load_lesson(const QString& id, const QString& language);

}  // namespace arenascope::views
