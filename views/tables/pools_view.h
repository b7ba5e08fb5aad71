// SPDX-License-Identifier: GPL-3.0-or-later
// What allocators hold, a bar a block in true proportion: what was requested of it, what of it is waste, and whether it is
// free; buffers and images, static and dynamic apart.
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
  void set_context(const ViewContext& context);  // of another document; the theme stays
  void paint(QPainter* painter, QSize size) override;

  // Each block's bar in the viewport, and how much of it is drawn as requested and as waste; by the rows' order.
  struct Bar {
    PoolRow row;
    QRectF whole, requested, waste;
    QString heading;  // above the first of its use
  };
  std::vector<Bar> bars(int width) const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  void listen();
  void take();
  void draw(QPainter& painter, QSize size, int from) const;
  void update_scroll_bar();

  ContextBond bond_;
  SessionSource* source_;
  Theme* theme_;
  std::vector<PoolRow> rows_;  // by use: dynamic, separate, static; the largest first
};

}  // namespace arenascope::views
