// SPDX-License-Identifier: GPL-3.0-or-later
// The corner of the menu bar: what is being done, whether a run goes on and where, how much of what it records is
// kept, and how many events were lost.
#pragma once
#include <QLabel>
#include <QMenuBar>

#include "document/documents.h"
#include "job_bar.h"

namespace arenascope::app {

class StatusCorner : public QWidget {
  Q_OBJECT
 public:
  StatusCorner(Documents* documents, const views::Theme* theme, QMenuBar* bar);
  void update_status();
  void update_progress();

 private:
  QString word() const;
  void place();

  Documents* documents_;
  const views::Theme* theme_;
  QMenuBar* bar_;
  JobBar* job_;
  QLabel *live_, *kept_, *lost_;
  QSize placed_;  // that the menu bar gave room for
};

}  // namespace arenascope::app
