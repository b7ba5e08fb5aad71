// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_names.h"

#include <views/lesson/lesson.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/window/panels/panel_id.h"

namespace arenascope::app {
namespace {

bool is_lesson(const std::string& id, const lesson::Lesson& lesson_file) {
  const QString name = QString::fromStdString(id);
  if (views::lessons().contains(name)) return true;
  for (const QString& path : views::own_lessons())
    if (std::filesystem::path(path.toStdString()).filename().string().starts_with(id + ".")) return true;
  std::error_code none;
  return std::filesystem::exists(std::filesystem::path(lesson_file.file).parent_path() / (id + ".md"), none);
}

}  // namespace

std::vector<Error> wrong_names(const lesson::Lesson& lesson) {
  std::vector<Error> wrong;
  const auto add_error = [&](int line, const std::string& what) {
    wrong.push_back(lesson::error_at(lesson, line, what));
  };
  for (const std::string& id : lesson.hidden_panels)
    if (!panel_named(id) && id != kSummaryBarName) add_error(1, fmt::format("unknown panel '{}' in hide", id));
  for (const std::string& id : lesson.needs)
    if (!is_lesson(id, lesson)) add_error(1, fmt::format("unknown lesson '{}' in needs", id));
  const auto check_action = [&](const lesson::Action& action) {
    if (action.verb != "show") return;
    for (const std::string& panel : action.arguments)
      if (const auto id = panel_named(panel); !id || id == PanelId::Lesson)
        add_error(action.line, fmt::format("unknown panel '{}'", panel));
  };
  for (const lesson::LessonStep& step : lesson.steps) {
    for (const lesson::Action& action : step.actions) check_action(action);
    if (!step.question) continue;
    for (const std::string& id : step.question->read)
      if (!panel_named(id)) add_error(step.question->line, fmt::format("unknown panel '{}' in read", id));
    for (const lesson::Action& action : step.question->then) check_action(action);
  }
  return wrong;
}

}  // namespace arenascope::app
