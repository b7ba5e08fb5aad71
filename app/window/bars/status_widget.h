// SPDX-License-Identifier: GPL-3.0-or-later
// Right end of the menu bar: current job, run state, size of the live recording, and lost events.
#pragma once
#include <QLabel>
#include <QMenuBar>
#include <QToolButton>

#include "app/window/document/documents.h"
#include "job_bar.h"

namespace arenascope::app {

class StatusWidget : public QWidget {
  Q_OBJECT
 public:
  StatusWidget(Documents* documents, const views::Theme* theme, QMenuBar* bar);
  void update_status();
  void update_progress();
  void update_badge();

 Q_SIGNALS:
  void log_requested();

 private:
  QString state_text() const;
  QString device_text() const;  // that runs the model, or that the recording is of; empty: unknown
  void update_position();

  Documents* documents_;
  const views::Theme* theme_;
  QMenuBar* bar_;
  JobBar* job_;
  QToolButton* badge_;  // number of unread errors and warnings
  QLabel *live_, *kept_, *lost_;
  QSize placed_;  // last size requested from the menu bar
};

}  // namespace arenascope::app
