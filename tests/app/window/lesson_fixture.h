// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of lessons in the real window share.
#pragma once
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_panel.h>

#include "app/window/lesson_guide.h"
#include "window_fixture.h"

namespace arenascope::app {

class LessonFixture : protected WindowFixture {
 protected:
  views::LessonPanel* panel() { return panels().find<views::LessonPanel>("lesson"); }
  views::QuestionBox* box() { return panel()->question(); }
  // For what a failure says.
  QString where() {
    return QStringLiteral("%1, step %2: %3 %4")
        .arg(views::text_of(panel()->open_lesson()->id))
        .arg(panel()->step() + 1)
        .arg(panel()->problem(), box()->said());
  }
};

}  // namespace arenascope::app
