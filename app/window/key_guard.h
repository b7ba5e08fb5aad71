// SPDX-License-Identifier: GPL-3.0-or-later
// Keys without a modifier are shortcuts of the whole window (Space plays, the arrows step), but what has the focus
// comes first: Space presses a button, and the arrows go through a table's rows.
#pragma once
#include <QObject>
#include <QWidget>

namespace arenascope::app {

// Whether a widget that has the focus does something with that key itself.
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
