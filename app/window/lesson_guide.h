// SPDX-License-Identifier: GPL-3.0-or-later
// Does in the window what a lesson's step wants, one action after the other (what needs a model waits for it), and hands
// the panel what its figures are read from. What a lesson pins of the run settings holds for what it opens, never for the
// user's own; the panels are put back when it is left.
#pragma once
#include <views/lesson/lesson_panel.h>

#include <QElapsedTimer>
#include <QTimer>
#include <deque>

#include "document/run_settings.h"

class QFrame;

namespace arenascope::app {

struct Shell;

RunSettings run_settings(const lesson::Settings& settings);

class LessonGuide : public QObject {
  Q_OBJECT
 public:
  LessonGuide(Shell& shell, views::LessonPanel* panel);
  bool busy() const { return !waiting_.empty() || reading_; }
  void load();  // the lessons, in the language at hand
  // Plays a teacher's file, beside the course. Errors: it cannot be read.
  Status play(const QString& path);
  // The draft of a lesson about what is open. Errors: nothing is.
  Result<std::string> draft() const;

 Q_SIGNALS:
  void done();  // the step's actions are, and its figures are there

 private:
  void begin(const std::vector<lesson::Action>& actions, bool then);
  void enter();
  void leave();
  void go_on();
  bool ready() const;                         // for the next action
  QString act(const lesson::Action& action);  // why not; empty: done
  QString open(const QString& spec);
  QString look(const lesson::Action& action, const QString& argument);
  QString lay_out(const QString& layout);
  QString plan(const QString& planner, const QString& order);  // "": every one
  QString trigger(const char* id);
  void close_others();
  QString select(const std::string& name);
  void read_figures();
  void take_selection();
  void point_at(const QString& panel);
  lesson::Scene scene() const;
  QString at_line(int line, const QString& what) const;

  Shell& shell_;
  views::LessonPanel* panel_;
  QStringList opened_;  // specs, by lessons
  QStringList files_;   // of lessons that are played beside the course
  std::deque<lesson::Action> waiting_;
  QString opening_;  // what is to be there before the next action
  size_t runs_ = 0;  // and so many whole runs
  bool planning_ = false, stepping_ = false, stopping_ = false, reading_ = false, then_ = false;
  int number_ = 0;         // of the figures that are read
  QByteArray own_layout_;  // of the panels, before the lessons
  QFrame* frame_ = nullptr;
  QTimer timer_;
  QElapsedTimer since_;
};

}  // namespace arenascope::app
