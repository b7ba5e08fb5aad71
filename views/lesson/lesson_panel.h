// SPDX-License-Identifier: GPL-3.0-or-later
// Presents a lesson step by step: text with live figures, question, position, navigation, and a summary at the end. The
// panel requests the window state of a step with signals; the receiver passes back the scene from which figures are
// read.
#pragma once
#include <views/lesson/lesson_pages.h>
#include <views/lesson/question_box.h>

#include <QComboBox>
#include <QLabel>
#include <QScrollArea>
#include <QTextBrowser>
#include <QToolButton>
#include <QWidget>
#include <utility>

namespace arenascope::views {

struct LessonWidgets {
  QComboBox* chooser;
  QScrollArea* page;
  QTextBrowser* text;
  QuestionBox* question;
  QToolButton *back, *next, *large;
  QLabel* problem;
  QLabel* waiting;  // why the values of the step are not available yet; hidden when they are
};

class LessonPanel : public QWidget {
  Q_OBJECT
 public:
  explicit LessonPanel(QWidget* parent = nullptr);

  void set_lessons(std::vector<lesson::Lesson> lessons);  // keeps the current lesson and step if they still exist
  const std::vector<lesson::Lesson>& lessons() const { return lessons_; }
  void begin(const QString& id);  // resumes at the last step; "": the list of lessons
  void restart(const QString& id);
  void go_to(int step);
  // Shows a step of the first lesson as it is entered, without progress and without signals.
  void preview(int step, lesson::Scene scene);
  int content_height() const;  // height of text and question at the current width
  const lesson::Lesson* open_lesson() const;
  const lesson::LessonStep* current() const;  // null: at the list or the summary
  int step() const { return step_; }          // -1: list of lessons; after the last step: summary
  // The actions of the current step are complete.
  void set_scene(lesson::Scene scene);
  const lesson::Scene& scene() const { return scene_; }
  void show_problem(const QString& problem);  // below the text; empty: nothing
  LessonWidgets widgets() const {
    return {chooser_, page_, text_, question_, back_, next_, large_, problem_, waiting_};
  }
  const LessonProgress& progress() const { return progress_; }
  // Exchanges the progress, for a lesson that is played without its learner.
  LessonProgress exchange_progress(LessonProgress other) { return std::exchange(progress_, std::move(other)); }

 Q_SIGNALS:
  void entered();  // a step was entered: perform the actions of current()
  void shown();    // another page of any kind is shown
  void solved();   // the question was solved: perform its follow-up actions
  void left();     // the list of lessons is shown
  void enlarged(bool large);
  void tensor_clicked(const QString& name);  // in the text
  void tensor_hovered(const QString& name);  // empty: none

 protected:
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void arrange();
  void ask(const Answered& before);
  void show_end_of_question();
  bool is_answered() const;
  void show_step(bool act);
  void show_text();
  void fit_text();
  void update_bar();
  void retranslate();

  std::vector<lesson::Lesson> lessons_;
  int lesson_ = -1, step_ = -1;
  lesson::Scene scene_;
  LessonProgress progress_;
  QComboBox* chooser_;
  QScrollArea* page_;  // text and question, which may be higher than the panel
  QTextBrowser* text_;
  QuestionBox* question_;
  QToolButton *back_, *again_, *next_, *large_;
  QLabel *where_, *waiting_, *problem_;
};

}  // namespace arenascope::views
