// SPDX-License-Identifier: GPL-3.0-or-later
// Data flow of a node, drawn as arrows between spans: from the producers of its inputs and from copies made for it to
// its own work, and from there to its users.
#pragma once
#include <arenascope/trace/info.h>

#include <QPainter>
#include <vector>

namespace arenascope::views {

struct Flow {
  NodeId node;                   // invalid: no arrows
  std::vector<NodeId> from, to;  // nodes with work of their own; views are skipped
  bool operator==(const Flow&) const = default;
};
Flow flow_of(const trace::GraphInfo& graph, NodeId node);

// An arrow from the end of one span to the start of another, in pixels.
void draw_flow_arrow(QPainter& painter, const QRectF& from, const QRectF& to, const QColor& colour);

}  // namespace arenascope::views
