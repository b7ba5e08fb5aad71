// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a lesson: performs the actions of a step in sequence, waiting for those that need a model, and gives
// the panel the data for its values. Leaving the lesson restores the panels.
#pragma once
#include <views/lesson/lesson_panel.h>

#include <QElapsedTimer>
#include <QThreadPool>
#include <QTimer>
#include <deque>

#include "lesson_actions.h"

namespace arenascope::app {

struct Shell;

class LessonPlayer : public QObject {
  Q_OBJECT
 public:
  LessonPlayer(Shell& shell, views::LessonPanel* panel);
  bool busy() const { return timer_.isActive() || reading_.running(); }
  void load();  // loads the lessons in the current language
  // Plays a lesson file in addition to the built-in course. Errors: it cannot be read.
  Status play(const QString& path);
  void begin(const QString& lesson);  // id of a lesson of the course
  void restore_panels();              // those that the user had before the lesson
  // Appends each answer to a CSV file from now on, also after a restart; empty: no longer.
  void collect_answers(const QString& path);
  QString answers_file() const;
  // Draft of a lesson about the current document. Errors: no document.
  Result<std::string> draft() const;

 Q_SIGNALS:
  void done();  // the actions of the step have completed and its values are available

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void perform(std::vector<lesson::Action> actions, bool then);
  void enter();
  void leave();
  void advance();
  void read_figures();
  void on_selection_changed();
  void on_hover_changed();
  void log_answer();
  void hide_panels();  // hides those that reveal the answer to an open question
  lesson::Scene scene() const;
  QString reason_to_wait() const;
  QString at_line(int line, const QString& what) const;

  Shell& shell_;
  views::LessonPanel* panel_;
  LessonActions actions_;
  QStringList files_;  // lesson files played in addition to the course
  std::deque<lesson::Action> waiting_;
  bool then_ = false;
  views::Task reading_;       // the values of the step
  QThreadPool answers_pool_;  // writes one answer at a time
  views::Task answers_;
  std::vector<PanelId> hidden_;
  QTimer timer_;
  QElapsedTimer since_;
};

}  // namespace arenascope::app
