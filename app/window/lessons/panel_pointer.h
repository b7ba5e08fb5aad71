// SPDX-License-Identifier: GPL-3.0-or-later
// A frame around a panel that a lesson points at; it follows the panel.
#pragma once
#include <QFrame>
#include <QPointer>

namespace arenascope::app {

class PanelPointer : public QFrame {
 public:
  explicit PanelPointer(QWidget* window);
  void point_at(QWidget* target, const QColor& colour);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void follow();

  QPointer<QWidget> target_;
};

}  // namespace arenascope::app
