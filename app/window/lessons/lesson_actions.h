// SPDX-License-Identifier: GPL-3.0-or-later
// Performs an action of a lesson step in the window and detects its completion. Run settings of a lesson apply only
// to what it opens, not to the user's documents.
#pragma once
#include <views/common/background.h>
#include <views/lesson/lesson_panel.h>

#include "app/window/document/document.h"
#include "lesson_stage.h"

namespace arenascope::app {

class PanelPointer;
struct Shell;

RunSettings run_settings(const lesson::Settings& settings);

class LessonActions {
 public:
  LessonActions(Shell& shell, views::LessonPanel* panel);
  LessonStage& stage() { return stage_; }

  QString act(const lesson::Action& action);  // error message; empty: done or in progress
  bool ready() const;                         // the started action has completed
  void settle();                              // stops waiting for the action
  bool stopped_a_run();  // true once if a paused run was stopped to open another document, which must be re-run
  const QString& opening() const { return opening_; }

  bool opened(Document& document) const;  // by a lesson
  void close_others();                    // closes documents opened by earlier lessons
  // Frames of the experiment that a step shows; null: none.
  std::shared_ptr<const std::vector<lesson::LensFrame>> lens() const;
  void forget_lens() { lens_ = false; }  // the lesson has ended
  void hide_pointer();
  QString select(const std::string& name);  // a tensor of the current document
  void hover(const std::string& name);      // empty: none

 private:
  QString open(const QString& spec);
  QString plan(const QString& planner, const QString& order);  // empty: all
  QString improve(const std::string& finding, const std::string& tensor);
  QString run();
  QString find_frontier();
  QString show_lens(const lesson::Action& action);
  QString generate(const lesson::Action& action);
  QString adjust_view(const lesson::Action& action, const QString& argument);
  QString show(const std::vector<std::string>& panels);
  void frame_runs();
  QString trigger(const char* id);
  void point_at(PanelId panel);

  Shell& shell_;
  views::LessonPanel* panel_;
  LessonStage stage_;
  QString opening_;        // spec being opened
  size_t runs_ = 0;        // expected number of complete runs
  bool lens_ = false;      // the byte lens shows an experiment of the lesson
  bool all_runs_ = false;  // the subject is the generation with all its runs, not the current run
  bool planning_ = false, training_ = false, generation_ = false, stepping_ = false, stopping_ = false, rerun_ = false;
  views::Background improving_;  // finds the plan of an improvement
  PanelPointer* pointer_ = nullptr;
};

}  // namespace arenascope::app
