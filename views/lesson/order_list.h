// SPDX-License-Identifier: GPL-3.0-or-later
// A list to be sorted by the user: rows are dragged with the mouse, or the selected row is moved with Ctrl and the
// arrow keys.
#pragma once
#include <QListWidget>

namespace arenascope::views {

class OrderList : public QListWidget {
  Q_OBJECT
 public:
  explicit OrderList(QWidget* parent = nullptr);
  void set_lines(const QStringList& lines);
  QSize sizeHint() const override;  // all rows, up to a dozen
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  void move_line(int from, int to);

  bool dragging_ = false;
};

}  // namespace arenascope::views
