// SPDX-License-Identifier: GPL-3.0-or-later
// Memory held by allocators, one bar per block to scale: requested bytes, waste, and free blocks; grouped into buffers
// and images, static and dynamic.
#pragma once
#include <views/common/export.h>
#include <views/common/view_context.h>
#include <views/tables/pool_rows.h>

#include <QAbstractScrollArea>

namespace arenascope::views {

class PoolsView : public QAbstractScrollArea, public Paintable {
  Q_OBJECT
 public:
  PoolsView(SessionSource* source, Theme* theme, QWidget* parent = nullptr);
  void set_context(const ViewContext& context);  // switches to another document; the theme is kept
  void paint(QPainter* painter, QSize size) override;

  // The bar of each block in the viewport, with its requested part and waste; in row order.
  struct Bar {
    PoolRow row;
    QRectF whole, requested, waste;
    QString heading;  // above the first bar of a group
  };
  std::vector<Bar> bars(int width) const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  void listen();
  void take();
  void draw(QPainter& painter, QSize size, int from) const;
  void update_scroll_bar();

  ConnectionScope connections_;
  SessionSource* source_;
  Theme* theme_;
  std::vector<PoolRow> rows_;  // grouped by use: dynamic, separate, static; largest first
};

}  // namespace arenascope::views
