// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson step by step: its text, where one is, back and on. What each step wants of the window it asks by a signal.
#pragma once
#include <views/lesson/lesson.h>

#include <QComboBox>
#include <QLabel>
#include <QTextBrowser>
#include <QToolButton>
#include <QWidget>

namespace arenascope::views {

class LessonPanel : public QWidget {
  Q_OBJECT
 public:
  explicit LessonPanel(QWidget* parent = nullptr);

  void set_lessons(std::vector<Lesson> lessons);  // keeps lesson and step where they are still there
  void begin(const QString& id);
  void go_to(int step);
  const Lesson* lesson() const;
  int step() const { return step_; }  // -1: at the list of lessons
  QString text() const { return text_->toPlainText(); }
  QComboBox* chooser() const { return chooser_; }
  QToolButton* next_button() const { return next_; }
  QToolButton* back_button() const { return back_; }
  void say(const QString& problem);  // below the text; empty: nothing

 Q_SIGNALS:
  // A step was entered: what the window is to do.
  void entered(const QString& lesson, int step, const std::vector<arenascope::views::LessonAction>& actions);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void show_step(bool act);
  void retranslate();

  std::vector<Lesson> lessons_;
  int lesson_ = -1, step_ = -1;
  QComboBox* chooser_;
  QTextBrowser* text_;
  QToolButton *back_, *again_, *next_;
  QLabel *where_, *problem_;
};

}  // namespace arenascope::views
