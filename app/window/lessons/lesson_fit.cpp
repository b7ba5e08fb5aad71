// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_fit.h"

#include <views/lesson/lesson.h>
#include <views/lesson/lesson_panel.h>

#include <fmt/format.h>

#include "lesson_stage.h"

namespace arenascope::app {
namespace {

constexpr QSize kSmallWindow{1366, 768};
constexpr int kBars = 170;  // menu, toolbars, summary and title of the panel

}  // namespace

std::string misfit(const lesson::Lesson& lesson, size_t step, const lesson::Scene& scene) {
  views::LessonPanel panel;
  panel.set_lessons({lesson});
  panel.setAttribute(Qt::WA_DontShowOnScreen);
  panel.resize(LessonStage::lesson_width(kSmallWindow.width()), kSmallWindow.height() - kBars);
  panel.show();
  panel.preview(static_cast<int>(step), scene);
  const int needed = panel.content_height(), available = panel.widgets().page->viewport()->height();
  if (needed <= available) return {};
  return fmt::format("text and question are {} pixels high; {} fit into a window of {} by {}", needed, available,
                     kSmallWindow.width(), kSmallWindow.height());
}

}  // namespace arenascope::app
