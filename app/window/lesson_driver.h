// SPDX-License-Identifier: GPL-3.0-or-later
// Does in the window what one action of a lesson wants, and knows when that is there. What a lesson pins of the run
// settings holds for what it opens, never for the user's own.
#pragma once
#include <views/lesson/lesson_panel.h>

#include "document/document.h"

namespace arenascope::app {

class PanelPointer;
struct Shell;

RunSettings run_settings(const lesson::Settings& settings);

class LessonDriver {
 public:
  LessonDriver(Shell& shell, views::LessonPanel* panel) : shell_(shell), panel_(panel) {}

  QString act(const lesson::Action& action);  // why not; empty: done, or under way
  bool ready() const;                         // what was begun is there
  void settle();                              // and nothing more is waited for
  bool stopped_a_run();                       // to open what was paused: it is to be run anew; told once
  const QString& opening() const { return opening_; }

  bool opened(Document& document) const;  // by a lesson
  void close_others();                    // what lessons opened before needs no tab any more
  void hide_pointer();

 private:
  QString open(const QString& spec);
  QString plan(const QString& planner, const QString& order);  // "": every one
  QString run();
  QString find_frontier();
  QString write(const lesson::Action& action);
  QString look(const lesson::Action& action, const QString& argument);
  QString select(const std::string& name);
  QString lay_out(const QString& layout);
  QString trigger(const char* id);
  void point_at(const QString& panel);

  Shell& shell_;
  views::LessonPanel* panel_;
  QString opening_;  // what is to be there
  size_t runs_ = 0;  // and so many whole runs
  bool planning_ = false, learning_ = false, writing_ = false, stepping_ = false, stopping_ = false, rerun_ = false;
  PanelPointer* pointer_ = nullptr;
};

}  // namespace arenascope::app
