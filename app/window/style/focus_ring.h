// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a ring around the widget with keyboard focus, above all other widgets. Focus set by the mouse shows no ring.
#pragma once
#include <views/common/theme.h>

#include <QPointer>
#include <QWidget>

namespace arenascope::app {

class FocusRing : public QWidget {
  Q_OBJECT
 public:
  FocusRing(const views::Theme* theme, QWidget* window);
  const QWidget* target() const { return target_; }  // null: hidden

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void surround(QWidget* widget);
  void update_position();

  const views::Theme* theme_;
  QWidget* window_;
  QPointer<QWidget> target_;
};

}  // namespace arenascope::app
