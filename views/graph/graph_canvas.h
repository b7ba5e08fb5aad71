// SPDX-License-Identifier: GPL-3.0-or-later
// The widget on which the graph is drawn, zoomed and panned, with minimap and legend. It does not know about sessions:
// it shows a scene and emits signals for user actions.
#pragma once
#include <views/common/figure.h>

#include "graph_viewport.h"

namespace arenascope::views {

class GraphCanvas : public GraphViewport {
  Q_OBJECT
 public:
  explicit GraphCanvas(const Theme* theme, QWidget* parent = nullptr);

  void set_scene(GraphScene scene);
  const SceneMarks& marks() const { return marks_; }
  void set_marks(SceneMarks marks);  // repaints only the selected and hovered items, unless breakpoints changed
  void refresh() override;
  FigureText tip(int32_t vertex, const QPointF& point) const;  // `point` in scene coordinates
  void set_hovered(int32_t vertex);                            // repaints only its outline
  void set_busy(const QString& text);                          // empty: not busy

 Q_SIGNALS:
  void vertex_clicked(int vertex);
  void vertex_activated(int vertex);  // double click or Return
  void leaf_clicked(int leaf);
  void frame_clicked(int layer);    // frame of an expanded layer
  void frame_activated(int layer);  // double click
  void background_clicked();
  void vertex_hovered(int vertex);
  void context_menu_requested(int vertex, const QPoint& global);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void jump_in_minimap(const QPointF& widget);
  void paint_picture(QPainter& painter);
  FigureText tip_text(int32_t vertex, const QPointF& point) const;

  SceneMarks marks_;
  QString busy_;
  enum class Drag { None, Press, Pan, Minimap } drag_ = Drag::None;
  QPointF press_, press_offset_;
  double centre_ = 0;          // of the widget in the scene, horizontally; kept while only the size changes
  double resized_offset_ = 0;  // after the last change of the size
  QPixmap picture_;            // the graph without the selected and hovered items
  bool stale_ = true;
};

}  // namespace arenascope::views
