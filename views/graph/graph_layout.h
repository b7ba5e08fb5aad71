// SPDX-License-Identifier: GPL-3.0-or-later
// Where the vertices and edges of a folded graph lie. Two ways to find out: Graphviz's `dot` (its input and its JSON
// are written and read here; layout_job.h runs it), and a simple layered layout of ours for where `dot` is missing.
// Units are pixels at 100 %, y grows downwards, positions are centres.
#pragma once
#include <arenascope/base/result.h>

#include <QByteArray>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <map>
#include <optional>
#include <vector>

#include "folded_graph.h"

namespace arenascope::views {

struct GraphLayout {
  std::vector<QPointF> centres;              // of each vertex
  std::vector<QSizeF> sizes;                 // as they were asked for
  std::vector<std::vector<QPointF>> curves;  // of each edge: 3n+1 points of a Bézier curve, or none
  std::map<int32_t, QRectF> layers;          // the frame of each expanded layer
  QRectF bounds;
};

// Input for `dot` that lays out boxes of the given sizes, the vertices of an expanded layer in a frame. Vertices are
// called by their number, so no text of a model can be mistaken for syntax.
QByteArray dot_input(const FoldedGraph& graph, const std::vector<QSizeF>& sizes);

// Reads what `dot -Tjson` answered. Error: it is no layout of this graph.
Result<GraphLayout> read_dot_json(const QByteArray& json, const FoldedGraph& graph, const std::vector<QSizeF>& sizes);

// Rows by the longest way from a source, vertices in a row near their neighbours (barycentres, a few sweeps).
// Loops, which folding can make, are broken at the edge that closes them.
GraphLayout layered_layout(const FoldedGraph& graph, const std::vector<QSizeF>& sizes);

// A layout of `now` at once, from that of another folding of the same graph: an opened layer unfolds where it lay (by
// layered_layout), a closed one takes its frame's place, all below makes room and the rest stays. None where the two
// differ in more layers than one would open by hand, or in anything else.
std::optional<GraphLayout> place_changes(const FoldedGraph& before, const GraphLayout& old, const FoldedGraph& now,
                                         const std::vector<QSizeF>& sizes);

// An edge from the bottom of one box to the top of another.
std::vector<QPointF> straight_curve(const QRectF& from, const QRectF& to);

// The folded graph as a DOT file that others can draw, with names: what `Save as DOT` writes.
std::string dot_file(const trace::GraphInfo& info, const Layers& layers, const FoldedGraph& graph);

// A text as a quoted DOT string: quotes and backslashes escaped, control characters replaced.
std::string dot_quoted(std::string_view text);

}  // namespace arenascope::views
