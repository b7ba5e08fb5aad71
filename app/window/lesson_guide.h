// SPDX-License-Identifier: GPL-3.0-or-later
// Leads through a lesson: has done in the window what a step wants, one action after the other (what needs a model waits
// for it), and hands the panel what its figures are read from. The panels are put back when it is left.
#pragma once
#include <views/lesson/lesson_panel.h>

#include <QElapsedTimer>
#include <QTimer>
#include <deque>

#include "lesson_driver.h"

namespace arenascope::app {

struct Shell;

class LessonGuide : public QObject {
  Q_OBJECT
 public:
  LessonGuide(Shell& shell, views::LessonPanel* panel);
  bool busy() const { return timer_.isActive() || reading_; }
  void load();  // the lessons, in the language at hand
  // Plays a teacher's file, beside the course. Errors: it cannot be read.
  Status play(const QString& path);
  // The draft of a lesson about what is open. Errors: nothing is.
  Result<std::string> draft() const;

 Q_SIGNALS:
  void done();  // the step's actions are, and its figures are there

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void begin(std::vector<lesson::Action> actions, bool then);
  void enter();
  void leave();
  void go_on();
  void read_figures();
  void take_selection();
  void shut_panels();  // those that would tell the answer, while a question is open
  lesson::Scene scene() const;
  QString at_line(int line, const QString& what) const;

  Shell& shell_;
  views::LessonPanel* panel_;
  LessonDriver driver_;
  QStringList files_;  // of lessons that are played beside the course
  std::deque<lesson::Action> waiting_;
  bool reading_ = false, then_ = false;
  bool browsing_ = false;  // a key was the last thing pressed
  int number_ = 0;         // of the figures that are read
  QByteArray own_layout_;  // of the panels, before the lessons
  QStringList shut_;
  QTimer timer_;
  QElapsedTimer since_;
};

}  // namespace arenascope::app
