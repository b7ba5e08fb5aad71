// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of the vertices and edges of a folded graph. Units are pixels at 100 %, y grows downwards, positions are
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
  std::vector<QPointF> centres;              // per vertex
  std::vector<QSizeF> sizes;                 // per vertex, as requested
  std::vector<std::vector<QPointF>> curves;  // per edge: 3n+1 points of a Bézier curve, or none
  std::map<int32_t, QRectF> layers;          // frame of each expanded layer
  QRectF bounds;
};

// Lays out the content of each expanded layer in rows (row_layout.h) within its frame, and the frames and remaining
// vertices around them. Cycles, which folding can create, are broken at the edge that closes them. 10,000 vertices take
// less than a second.
GraphLayout layered_layout(const FoldedGraph& graph, const std::vector<QSizeF>& sizes);

// The folded graph in DOT format, with names, as written by `Save as DOT`.
std::string dot_file(const trace::GraphInfo& info, const Layers& layers, const FoldedGraph& graph);

// A quoted DOT string: quotes and backslashes are escaped, control characters replaced.
std::string dot_quoted(std::string_view text);

}  // namespace arenascope::views
