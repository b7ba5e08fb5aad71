// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the running task that the user waits for, if it takes more than a second: progress, remaining time and a Cancel
// button. A list shows the running tasks of all documents, each with its own Cancel button.
#pragma once
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>

#include "app/window/document/documents.h"

namespace arenascope::app {

// One task: its title, progress and Cancel button, in a row of a layout.
class TaskRow : public QObject {
  Q_OBJECT
 public:
  explicit TaskRow(QWidget* parent);
  void add_to(QGridLayout* grid, int row);
  // The button cancels this execution and no later one.
  void show(views::Task* task, const QString& title, bool progress);
  void hide();
  void retranslate();

 private:
  QLabel* text_;
  QProgressBar* bar_;
  QToolButton* cancel_;
  QPointer<views::Task> task_;
  int number_ = 0;  // of the execution
};

class JobBar : public QWidget {
  Q_OBJECT
 public:
  JobBar(Documents* documents, QWidget* parent);
  void refresh();  // after a task may have begun or ended

 Q_SIGNALS:
  void resized();  // its width changed

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh_list();
  void open_list();
  void retranslate();

  Documents* documents_;
  TaskRow* shown_;
  QToolButton* more_;  // opens the list
  QFrame* list_;
  QGridLayout* rows_;
  std::vector<TaskRow*> listed_;
  QTimer timer_;
};

}  // namespace arenascope::app
