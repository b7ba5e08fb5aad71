// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the current job, its progress, remaining time and a Cancel button, for jobs of more than a second.
#pragma once
#include <QElapsedTimer>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>

#include "document/job.h"

namespace arenascope::app {

class JobBar : public QWidget {
  Q_OBJECT
 public:
  JobBar(Documents* documents, QWidget* parent);
  void refresh();  // after a job may have begun or ended

 Q_SIGNALS:
  void resized();  // its width changed

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void retranslate();

  Documents* documents_;
  std::optional<Job> shown_;  // which the button ends
  QLabel* text_;
  QProgressBar* bar_;
  QToolButton* cancel_;
  QTimer timer_;
  QElapsedTimer since_;
};

}  // namespace arenascope::app
