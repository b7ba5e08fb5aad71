// SPDX-License-Identifier: GPL-3.0-or-later
// The visible part of the graph: scale and offset between scene and widget, limited so that the graph never leaves the
// view, and hit testing.
#pragma once
#include <QWidget>

#include "graph_scene.h"

namespace arenascope::views {

class GraphViewport : public QWidget {
  Q_OBJECT
 public:
  GraphViewport(const Theme* theme, QWidget* parent);

  // Call refresh() after changing it.
  GraphScene& scene() { return scene_; }
  const GraphScene& scene() const { return scene_; }
  virtual void refresh() = 0;

  double scale() const { return scale_; }
  QRectF area() const;     // where the graph is drawn: above the legend, next to the minimap
  QRectF visible() const;  // the same in scene coordinates
  QPointF to_widget(const QPointF& scene) const { return scene * scale_ + offset_; }
  QPointF to_scene(const QPointF& widget) const { return (widget - offset_) / scale_; }
  int32_t vertex_at(const QPointF& widget) const;  // -1: none
  int32_t frame_at(const QPointF& widget) const;   // frame of an expanded layer; -1: none
  QRectF minimap_rect() const;
  bool minimap_shown() const;  // the graph is only partly visible

  void zoom(double factor, const QPointF& around);
  void fit();                                          // the whole graph
  void set_view(double scale, const QPointF& offset);  // as returned by scale() and to_widget({0, 0})
  // The full width from the top, at most at 100 %; the whole graph if its labels are legible then, or if it is so wide
  // that boxes could not be distinguished at its full width.
  void show_overview();
  void show_vertex(int32_t vertex, bool centre);  // scrolls only as far as needed unless `centre`
  void show_point(const QPointF& scene);          // centres the point
  bool any_vertex_visible() const;                // at least a part of a vertex is visible
  NodeId central_node() const;                    // the vertex nearest to the centre
  // Keeps a point at its screen position after the layout changed.
  void keep_position(const QPointF& scene_before, const QPointF& scene_now);

 protected:
  const ThemeColours& colours() const { return theme_->colours(); }
  void move_to(const QPointF& offset);  // limited to the extent of the graph
  QPointF offset() const { return offset_; }
  GraphScene scene_;

 private:
  double legend_height() const;
  double min_scale() const;
  void keep_in_sight();

  const Theme* theme_;
  double scale_ = 1;
  QPointF offset_{8, 8};
};

}  // namespace arenascope::views
