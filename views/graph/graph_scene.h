// SPDX-License-Identifier: GPL-3.0-or-later
// What the graph view shows, prepared: the folded graph, its layout, a text and a colour for each vertex. Painting it
// (paint_scene) only draws, into the window and into files alike.
#pragma once
#include <views/common/session_source.h>
#include <views/common/theme.h>

#include <QPainter>
#include <QString>

#include "graph_layout.h"

namespace arenascope::views {

enum class GraphColour : uint8_t { State, Op, Backend, Time, Bytes, Block, Difference, Column };

struct VertexText {
  QString title;   // the op, or the layer's name
  QString second;  // the node's name, or the layer's count, time and bytes
  QString third;   // the shape
  std::vector<QString> chips;
};

struct VertexLook {
  QColor fill;
  bool current = false;  // the step that is looked at lies in it
  bool dimmed = false;   // outside of the selected range, or no match of a search
  bool match = false;
  std::vector<QString> gone;  // nodes of what is compared with that lay before it, and are not here
};

struct LegendEntry {
  QString text;
  QColor colour;
};

// What stands on an edge, and where; without a text: nothing.
struct EdgeBadge {
  QString text;
  QRectF place;
};

struct GraphScene {
  std::shared_ptr<const trace::GraphInfo> info;  // null: nothing to show
  std::shared_ptr<const Layers> layers;
  std::shared_ptr<const FoldedGraph> folded;
  std::shared_ptr<const GraphLayout> layout;
  std::vector<VertexText> texts;
  std::vector<VertexLook> looks;
  std::vector<EdgeBadge> badges;  // with its shape on each edge; empty: views alone
  std::vector<LegendEntry> legend;
  QString legend_title;

  QRectF rect_of(int32_t vertex) const;
  bool ready() const { return info && folded && layout; }
};

// From a parameter to its gradient, from there to what gradients are added up in, and on to what the optimiser keeps: no edges,
// as nobody reads them there.
struct GradientLink {
  enum class To : uint8_t { Gradient, Sum, State };
  int32_t from = 0, to = 0;  // vertices
  To kind = To::Gradient;
  bool operator==(const GradientLink&) const = default;
};

// What of the scene is selected and hovered.
struct SceneMarks {
  std::vector<int32_t> selected;
  std::vector<int32_t> breakpoints;
  int32_t hovered = -1;
  LeafId leaf;                      // its chips are outlined
  std::vector<GradientLink> links;  // of the selected parameter, gradient, accumulator or state
};

// As it stands on its box and its frame: without the layers that it lies in.
QString layer_title(const Layers& layers, int32_t layer);
std::vector<VertexText> vertex_texts(const trace::GraphInfo& info, const Layers& layers, const FoldedGraph& folded);
std::vector<QSizeF> vertex_sizes(const FoldedGraph& folded, const std::vector<VertexText>& texts);
// "24 nodes · 3.2 ms · 41 MiB": time is the mean of a run so far, left out when nothing ran.
QString layer_summary(const std::vector<trace::NodeStats>& stats, const trace::GraphInfo& info, const Vertex& vertex);

// Fills looks and legend. `current` is the step looked at, none before anything ran.
void colour_scene(GraphScene& scene, GraphColour mode, const trace::Snapshot& snapshot, const trace::PlanInfo* plan,
                  Step current, const ThemeColours& colours);

// The same by what is otherwise in what it is compared with; null: nothing is. After colour_scene().
void colour_by_difference(GraphScene& scene, const trace::Snapshot& snapshot, const Comparison* comparison,
                          const ThemeColours& colours);

// The same by what a column tells of each node; `column` none: it is not there. After colour_scene().
struct ColumnValues;
void colour_by_column(GraphScene& scene, const ColumnValues* column, const ThemeColours& colours);

// Draws the part of the scene that `visible` (in scene coordinates) holds; `scale` is that of the painter.
void paint_scene(QPainter& painter, const GraphScene& scene, const SceneMarks& marks, const ThemeColours& colours,
                 const QRectF& visible, double scale);
// What the selection changes, over a scene that was drawn without it: its cards and edges, and chips of its leaf.
void paint_selected(QPainter& painter, const GraphScene& scene, const SceneMarks& marks, const ThemeColours& colours,
                    const QRectF& visible, double scale);
// The outline of what is hovered, over what paint_scene() drew.
void paint_hovered(QPainter& painter, const GraphScene& scene, const SceneMarks& marks, const ThemeColours& colours);
void paint_minimap(QPainter& painter, const GraphScene& scene, const ThemeColours& colours, const QRectF& target,
                   const QRectF& visible);
// What is selected, over a minimap that was drawn without it.
void paint_minimap_selected(QPainter& painter, const GraphScene& scene, const SceneMarks& marks,
                            const ThemeColours& colours, const QRectF& target);
// What the colours mean, as a strip along the bottom; returns its height. A null painter only measures.
double paint_legend(QPainter* painter, const GraphScene& scene, const ThemeColours& colours, const QSizeF& canvas);

// The chip of a vertex under a point in scene coordinates, as an index of Vertex::chips; -1: none.
int chip_at(const GraphScene& scene, int32_t vertex, const QPointF& point);

}  // namespace arenascope::views
