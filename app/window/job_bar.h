// SPDX-License-Identifier: GPL-3.0-or-later
// What is being done, how much of it, how long it will take, and a button that ends it: for all that takes longer than a
// second.
#pragma once
#include <QElapsedTimer>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>

#include "document/documents.h"

namespace arenascope::app {

class JobBar : public QWidget {
  Q_OBJECT
 public:
  JobBar(Documents* documents, QWidget* parent);
  void look();  // whether there is a job; something may have begun or ended

 Q_SIGNALS:
  void resized();  // it is wider or narrower now

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void retranslate();

  Documents* documents_;
  QLabel* text_;
  QProgressBar* bar_;
  QToolButton* cancel_;
  QTimer timer_;
  QElapsedTimer since_;
};

}  // namespace arenascope::app
