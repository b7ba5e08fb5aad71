// SPDX-License-Identifier: GPL-3.0-or-later
// The prepared content of the graph view: the folded graph, its layout, and a text and style for each vertex.
// paint_scene() only draws it, both in the window and in files.
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

struct VertexStyle {
  QColor fill;
  bool current = false;  // contains the current step
  bool dimmed = false;   // outside the selected range, or not a search match
  bool match = false;
  std::vector<QString> only_in_b;  // nodes of the other side of the comparison before it that do not exist here
};

struct LegendEntry {
  QString text;
  QColor colour;
};

// Text on an edge and its position; no text: nothing is drawn.
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
  std::vector<VertexStyle> vertex_styles;
  std::vector<EdgeBadge> badges;  // including the shape, per edge; empty: only views
  std::vector<LegendEntry> legend;
  QString legend_title;

  QRectF rect_of(int32_t vertex) const;
  bool ready() const { return info && folded && layout; }
};

// Links from a parameter to its gradient, from there to its accumulator, and to the optimiser state. They are not
// edges, because no node reads them there.
struct GradientLink {
  enum class To : uint8_t { Gradient, Sum, State };
  int32_t from = 0, to = 0;  // vertices
  To kind = To::Gradient;
  bool operator==(const GradientLink&) const = default;
};

// The selected and hovered items of the scene.
struct SceneMarks {
  std::vector<int32_t> selected;
  std::vector<int32_t> breakpoints;
  int32_t hovered = -1;
  LeafId leaf;                      // its chips are outlined
  std::vector<GradientLink> links;  // links of the selected parameter, gradient, accumulator or state
};

// The title on a layer's vertex and frame: without the enclosing layers.
QString layer_title(const Layers& layers, int32_t layer);
std::vector<VertexText> vertex_texts(const trace::GraphInfo& info, const Layers& layers, const FoldedGraph& folded);
std::vector<QSizeF> vertex_sizes(const FoldedGraph& folded, const std::vector<VertexText>& texts);
// "24 nodes · 3.2 ms · 41 MiB": the mean time per run so far; omitted if nothing ran.
QString layer_summary(const std::vector<trace::NodeStats>& stats, const trace::GraphInfo& info, const Vertex& vertex);

// Sets the styles and the legend. `current` is the current step, invalid before the first run.
void colour_scene(GraphScene& scene, GraphColour mode, const trace::Snapshot& snapshot, const trace::PlanInfo* plan,
                  Step current, const ThemeColours& colours);

// Colours by the difference to the other side of the comparison; null: no comparison. Call after colour_scene().
void colour_by_difference(GraphScene& scene, const trace::Snapshot& snapshot, const Comparison* comparison,
                          const ThemeColours& colours);

// Colours by the values of a column; null: the column does not exist. Call after colour_scene().
struct ColumnValues;
void colour_by_column(GraphScene& scene, const ColumnValues* column, const ThemeColours& colours);

// Draws the part of the scene within `visible` (scene coordinates); `scale` is that of the painter.
void paint_scene(QPainter& painter, const GraphScene& scene, const SceneMarks& marks, const ThemeColours& colours,
                 const QRectF& visible, double scale);
// Draws the selected cards and edges, and chips of the selected leaf tensor, over a scene drawn without them.
void paint_selected(QPainter& painter, const GraphScene& scene, const SceneMarks& marks, const ThemeColours& colours,
                    const QRectF& visible, double scale);
// Outlines the hovered vertex over the result of paint_scene().
void paint_hovered(QPainter& painter, const GraphScene& scene, const SceneMarks& marks, const ThemeColours& colours);
void paint_minimap(QPainter& painter, const GraphScene& scene, const ThemeColours& colours, const QRectF& target,
                   const QRectF& visible);
// Marks the selection on a minimap drawn without it.
void paint_minimap_selected(QPainter& painter, const GraphScene& scene, const SceneMarks& marks,
                            const ThemeColours& colours, const QRectF& target);
// Draws the colour legend along the bottom; returns its height. A null painter only measures.
double paint_legend(QPainter* painter, const GraphScene& scene, const ThemeColours& colours, const QSizeF& canvas);

// The chip of a vertex at a point in scene coordinates, as an index into Vertex::chips; -1: none.
int chip_at(const GraphScene& scene, int32_t vertex, const QPointF& point);

}  // namespace arenascope::views
