// SPDX-License-Identifier: GPL-3.0-or-later
// Does in the window what a lesson's step wants, one action after the other: what needs a model waits for it.
#pragma once
#include <views/lesson/lesson_panel.h>

#include <QElapsedTimer>
#include <QTimer>
#include <deque>

namespace arenascope::app {

struct Shell;

class LessonGuide : public QObject {
  Q_OBJECT
 public:
  LessonGuide(Shell& shell, views::LessonPanel* panel);
  bool busy() const { return !waiting_.empty(); }
  void load();  // the lessons, in the language at hand

 Q_SIGNALS:
  void done();  // the step's actions are

 private:
  void begin(const QString& lesson, const std::vector<views::LessonAction>& actions);
  void go_on();
  bool ready() const;                              // what was opened is there
  QString act(const views::LessonAction& action);  // why not; empty: done
  QString open(const QString& spec);

  Shell& shell_;
  views::LessonPanel* panel_;
  QString lesson_;
  std::deque<views::LessonAction> waiting_;
  QString opening_;  // what is to be there before the next action
  bool planning_ = false;
  QTimer timer_;
  QElapsedTimer since_;
};

}  // namespace arenascope::app
