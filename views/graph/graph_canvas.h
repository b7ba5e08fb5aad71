// SPDX-License-Identifier: GPL-3.0-or-later
// The surface on which the graph is drawn, zoomed and panned, with its minimap and legend. Knows nothing of sessions:
// it shows a scene and says what was pointed at.
#pragma once
#include <QWidget>

#include "graph_scene.h"

namespace arenascope::views {

class GraphCanvas : public QWidget {
  Q_OBJECT
 public:
  explicit GraphCanvas(const Theme* theme, QWidget* parent = nullptr);

  void set_scene(GraphScene scene);
  // Whoever changes one of these says so by refresh().
  GraphScene& scene() { return scene_; }
  const GraphScene& scene() const { return scene_; }
  SceneMarks& marks() { return marks_; }
  void refresh();
  void set_hovered(int32_t vertex);    // repaints nothing but its outline
  void set_busy(const QString& text);  // empty: not busy

  double scale() const { return scale_; }
  QRectF area() const;     // where the graph is drawn: above the legend, beside the minimap
  QRectF visible() const;  // the same in scene coordinates
  QPointF to_widget(const QPointF& scene) const { return scene * scale_ + offset_; }
  QPointF to_scene(const QPointF& widget) const { return (widget - offset_) / scale_; }
  int32_t vertex_at(const QPointF& widget) const;
  QRectF minimap_rect() const;

  void zoom(double factor, const QPointF& around);
  void fit();                                           // all of it
  void set_place(double scale, const QPointF& offset);  // as scale() and to_widget({0, 0}) said it
  void fit_width();                                     // the top of it, as wide as the canvas, never above 100 %
  void show_vertex(int32_t vertex, bool centre);        // scrolls no more than is needed unless `centre`
  bool shows_something() const;                         // at least a part of a vertex is in sight
  NodeId node_in_the_middle() const;                    // of the vertex nearest to it
  // Keeps the vertex where it is on the screen although the layout changed under it.
  void hold(const QPointF& scene_before, const QPointF& scene_now);

 Q_SIGNALS:
  void vertex_clicked(int vertex);
  void vertex_activated(int vertex);  // double click or Return
  void leaf_clicked(int leaf);
  void frame_clicked(int layer);    // of an expanded layer
  void frame_activated(int layer);  // a double click
  void background_clicked();
  void vertex_hovered(int vertex);
  void context_menu_wanted(int vertex, const QPoint& global);

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
  bool minimap_shown() const;
  double legend_height() const;
  double least_scale() const;
  int32_t frame_at(const QPointF& widget) const;
  void jump_in_minimap(const QPointF& widget);
  void keep_in_sight();
  void paint_picture(QPainter& painter);
  QString tool_tip(int32_t vertex, const QPointF& point) const;

  const Theme* theme_;
  GraphScene scene_;
  SceneMarks marks_;
  QString busy_;
  double scale_ = 1;
  QPointF offset_{8, 8};
  enum class Drag { None, Press, Pan, Minimap } drag_ = Drag::None;
  QPointF press_, press_offset_;
  QPixmap picture_;  // the graph without what is hovered
  bool stale_ = true;
};

}  // namespace arenascope::views
