// SPDX-License-Identifier: GPL-3.0-or-later
// Whoever goes through the window by Tab sees where the focus is: a ring around the widget that has it, over all that
// lies there. A focus that came by the mouse needs none.
#pragma once
#include <views/common/theme.h>

#include <QPointer>
#include <QWidget>

namespace arenascope::app {

class FocusRing : public QWidget {
  Q_OBJECT
 public:
  FocusRing(const views::Theme* theme, QWidget* window);
  const QWidget* target() const { return target_; }  // null: no ring is seen

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void surround(QWidget* widget);
  void place();

  const views::Theme* theme_;
  QWidget* window_;
  QPointer<QWidget> target_;
};

}  // namespace arenascope::app
