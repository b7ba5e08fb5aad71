// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by tests of lessons in the real window.
#pragma once
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_panel.h>

#include "app/window/lessons/lesson_player.h"
#include "window_fixture.h"

namespace arenascope::app {

class LessonFixture : protected WindowFixture {
 protected:
  views::LessonPanel* panel() { return panels().widgets().lesson; }
  views::QuestionBox* box() { return panel()->widgets().question; }
  // For failure messages.
  QString where() {
    return QStringLiteral("%1, step %2: %3 %4")
        .arg(views::text_of(panel()->open_lesson()->id))
        .arg(panel()->step() + 1)
        .arg(panel()->widgets().problem->text(), box()->feedback());
  }
};

}  // namespace arenascope::app
