// SPDX-License-Identifier: GPL-3.0-or-later
// Every action by name: type some of its letters, choose with the arrows, run with Return.
#pragma once
#include <QFrame>
#include <QLineEdit>
#include <QListWidget>

#include "actions.h"

namespace arenascope::app {

// How well `wanted` fits `text`: 0 not at all; letters in order are needed, and those at the beginning of words and
// next to each other count more.
int fit_score(const QString& wanted, const QString& text);

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
