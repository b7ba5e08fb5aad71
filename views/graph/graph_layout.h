// SPDX-License-Identifier: GPL-3.0-or-later
// Where the vertices and edges of a folded graph lie. Units are pixels at 100 %, y grows downwards, positions are
// centres.
#pragma once
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <map>
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

// Rows (row_layout.h) of what each opened layer holds, within its frame, and of frames and other vertices around them.
// Loops, which folding can make, are broken at the edge that closes them. 10,000 vertices take less than a second.
GraphLayout layered_layout(const FoldedGraph& graph, const std::vector<QSizeF>& sizes);

// The folded graph as a DOT file that others can draw, with names: what `Save as DOT` writes.
std::string dot_file(const trace::GraphInfo& info, const Layers& layers, const FoldedGraph& graph);

// A text as a quoted DOT string: quotes and backslashes escaped, control characters replaced.
std::string dot_quoted(std::string_view text);

}  // namespace arenascope::views
