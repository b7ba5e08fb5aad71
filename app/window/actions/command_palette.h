// SPDX-License-Identifier: GPL-3.0-or-later
// Command palette: filter actions by letters, select with the arrows, run with Return.
#pragma once
#include <QFrame>
#include <QLineEdit>
#include <QListWidget>

#include "actions.h"

namespace arenascope::app {

// Match score of `pattern` in `text`; 0: no match. Letters must occur in order; those at word starts and next to each
// other score more.
int fit_score(const QString& pattern, const QString& text);

class CommandPalette : public QFrame {
  Q_OBJECT
 public:
  CommandPalette(ActionRegistry* registry, QWidget* parent);
  void open();
  int shown() const { return list_->count(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fill();
  void run();

  ActionRegistry* registry_;
  QLineEdit* line_;
  QListWidget* list_;
};

}  // namespace arenascope::app
