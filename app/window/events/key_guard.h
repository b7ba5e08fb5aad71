// SPDX-License-Identifier: GPL-3.0-or-later
// Unmodified keys are shortcuts of the window (Space plays, arrows step), but the focused widget takes precedence:
// Space presses a button, arrows move through table rows.
#pragma once
#include <QObject>
#include <QWidget>

namespace arenascope::app {

// True if the focused widget handles this key itself.
bool wants_key(const QWidget* widget, int key);

class KeyGuard : public QObject {
  Q_OBJECT
 public:
  explicit KeyGuard(QWidget* window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* window_;
};

}  // namespace arenascope::app
