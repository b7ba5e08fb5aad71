// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of the lesson panel as text: the list of lessons, a step with its figures, a lesson's summary.
#pragma once
#include <arenascope/lesson/facts.h>
#include <arenascope/lesson/lesson.h>
#include <views/lesson/lesson_progress.h>

#include <QString>
#include <vector>

namespace arenascope::views {

// Figures in braces as the scene has them; one that cannot be had is an ellipsis. `marked`: for Markdown, standing out.
QString with_figures(const QString& text, const lesson::Scene& scene, bool marked);
// Markdown.
QString step_page(const lesson::LessonStep& step, const lesson::Scene& scene);
// HTML.
QString list_page(const std::vector<lesson::Lesson>& lessons, const LessonProgress& progress);
QString summary_page(const lesson::Lesson& lesson, const std::vector<lesson::Lesson>& all,
                     const LessonProgress& progress);

}  // namespace arenascope::views
