// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of the graph is seen: scale and offset between the scene and the widget, moved so that the graph never
// gets out of sight, and what lies under a point.
#pragma once
#include <QWidget>

#include "graph_scene.h"

namespace arenascope::views {

class GraphViewport : public QWidget {
  Q_OBJECT
 public:
  GraphViewport(const Theme* theme, QWidget* parent);

  // Whoever changes it says so by refresh().
  GraphScene& scene() { return scene_; }
  const GraphScene& scene() const { return scene_; }
  virtual void refresh() = 0;

  double scale() const { return scale_; }
  QRectF area() const;     // where the graph is drawn: above the legend, beside the minimap
  QRectF visible() const;  // the same in scene coordinates
  QPointF to_widget(const QPointF& scene) const { return scene * scale_ + offset_; }
  QPointF to_scene(const QPointF& widget) const { return (widget - offset_) / scale_; }
  int32_t vertex_at(const QPointF& widget) const;  // -1: none
  int32_t frame_at(const QPointF& widget) const;   // of an expanded layer; -1: none
  QRectF minimap_rect() const;
  bool minimap_shown() const;  // not all of the graph is seen

  void zoom(double factor, const QPointF& around);
  void fit();                                           // all of it
  void set_place(double scale, const QPointF& offset);  // as scale() and to_widget({0, 0}) said it
  void fit_width();                                     // the top of it, as wide as the canvas, never above 100 %
  void show_vertex(int32_t vertex, bool centre);        // scrolls no more than is needed unless `centre`
  void show_point(const QPointF& scene);                // in the middle
  bool shows_something() const;                         // at least a part of a vertex is in sight
  NodeId node_in_the_middle() const;                    // of the vertex nearest to it
  // Keeps the vertex where it is on the screen although the layout changed under it.
  void hold(const QPointF& scene_before, const QPointF& scene_now);

 protected:
  const ThemeColours& colours() const { return theme_->colours(); }
  void move_to(const QPointF& offset);  // no further than the graph reaches
  QPointF offset() const { return offset_; }
  GraphScene scene_;

 private:
  double legend_height() const;
  double least_scale() const;
  void keep_in_sight();

  const Theme* theme_;
  double scale_ = 1;
  QPointF offset_{8, 8};
};

}  // namespace arenascope::views
