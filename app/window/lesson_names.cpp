// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_names.h"

#include <views/lesson/lesson.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "panels/layouts.h"

namespace arenascope::app {
namespace {

bool is_panel(const std::string& name) {
  return std::ranges::any_of(panel_kinds(), [&](const PanelKind& kind) { return name == kind.id; });
}

bool is_lesson(const std::string& id, const lesson::Lesson& beside) {
  const QString name = QString::fromStdString(id);
  if (views::lessons().contains(name)) return true;
  for (const QString& path : views::own_lessons())
    if (std::filesystem::path(path.toStdString()).filename().string().starts_with(id + ".")) return true;
  std::error_code none;
  return std::filesystem::exists(std::filesystem::path(beside.file).parent_path() / (id + ".md"), none);
}

}  // namespace

std::vector<Error> wrong_names(const lesson::Lesson& lesson) {
  std::vector<Error> wrong;
  const auto say = [&](int line, const std::string& what) { wrong.push_back(lesson::error_at(lesson, line, what)); };
  for (const std::string& id : lesson.shut)
    if (!is_panel(id) && id != kHeadlineName) say(1, fmt::format("there is no panel '{}' to be shut", id));
  for (const std::string& id : lesson.needs)
    if (!is_lesson(id, lesson)) say(1, fmt::format("there is no lesson '{}' that it could need", id));
  const auto look = [&](const lesson::Action& action) {
    if (action.verb == "show" && !is_panel(action.arguments[0]))
      say(action.line, fmt::format("there is no panel '{}'", action.arguments[0]));
    if (action.verb == "layout" && !Layouts::names().contains(QString::fromStdString(action.arguments[0])))
      say(action.line, fmt::format("there is no layout '{}'; there are {}", action.arguments[0],
                                   Layouts::names().join(QStringLiteral(", ")).toStdString()));
  };
  for (const lesson::LessonStep& step : lesson.steps) {
    for (const lesson::Action& action : step.actions) look(action);
    if (step.question)
      for (const lesson::Action& action : step.question->then) look(action);
  }
  return wrong;
}

}  // namespace arenascope::app
