// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the lesson panel's pages: the list of lessons, a step with its figures, the summary of a lesson.
#pragma once
#include <arenascope/lesson/facts.h>
#include <arenascope/lesson/lesson.h>
#include <views/lesson/lesson_progress.h>

#include <QString>
#include <QTextBrowser>
#include <vector>

namespace arenascope::views {

// Replaces figures in braces by their values in the scene; unavailable ones become an ellipsis. `marked`: highlighted,
// for Markdown.
QString with_figures(const QString& text, const lesson::Scene& scene, bool marked);
// Markdown. `linked`: names of tensors of the open graph are links "tensor:NAME".
QString step_page(const lesson::LessonStep& step, const lesson::Scene& scene, bool linked = false);
// " ✓" for a finished lesson, " · step 3 of 5" for one that was begun, else "".
QString progress_mark(const lesson::Lesson& lesson, const LessonProgress& progress);

// The lesson to go on with: the first that was begun and not finished, else the first that was not finished; null: all
// are.
const lesson::Lesson* next_lesson(const std::vector<lesson::Lesson>& lessons, const LessonProgress& progress);
// "Continue: Title" or, before the first one, "Start: Title"; empty: all are finished.
QString next_lesson_title(const std::vector<lesson::Lesson>& lessons, const LessonProgress& progress);

// HTML.
QString list_page(const std::vector<lesson::Lesson>& lessons, const LessonProgress& progress);
QString summary_page(const lesson::Lesson& lesson, const std::vector<lesson::Lesson>& all,
                     const LessonProgress& progress);

// Marks the names of these tensors in the text of a step.
void light_up(QTextBrowser& text, const QStringList& tensors);

}  // namespace arenascope::views
