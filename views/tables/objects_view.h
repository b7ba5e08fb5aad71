// SPDX-License-Identifier: GPL-3.0-or-later
// The object arena as bytes: header, payload and padding of each object in pool order, and the next pointers that link
// them into a list. Wraps at the width of the view.
#pragma once
#include <views/common/export.h>
#include <views/common/view_context.h>

#include <QAbstractScrollArea>

namespace arenascope::views {

class ObjectsView : public QAbstractScrollArea, public Paintable {
  Q_OBJECT
 public:
  ObjectsView(SessionSource* source, SelectionModel* selection, Theme* theme, QWidget* parent = nullptr);
  void set_context(const ViewContext& context);  // switches to another document; the theme is kept
  void paint(QPainter* painter, QSize size) override;

  // The object drawn at a point of the viewport; -1: none.
  int object_at(const QPoint& point) const;
  QRect rect_of(int object) const;  // in the viewport

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  struct Box {
    QRectF rect;
    int object = -1;
    double header = 0;  // width of the header
  };
  void listen();
  void take();
  std::vector<Box> boxes(int width) const;
  void draw(QPainter& painter, const std::vector<Box>& boxes, QSize size, int from) const;
  void draw_object(QPainter& painter, const Box& box, bool chosen) const;
  void draw_parts(QPainter& painter, const QRectF& body, const trace::ObjectInfo& object, const QColor& kind) const;
  QString scratch_text() const;
  void update_scroll_bar();
  trace::TensorRef tensor_of_object(int object) const;

  ConnectionScope connections_;
  SessionSource* source_;
  SelectionModel* selection_;
  Theme* theme_;
  std::shared_ptr<const trace::ContextInfo> context_;
  std::shared_ptr<const trace::GraphInfo> graph_;
  std::vector<Box> boxes_;
  std::vector<trace::TensorRef> tensors_;  // per object; invalid if it is not a tensor of the graph
};

}  // namespace arenascope::views
