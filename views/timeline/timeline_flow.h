// SPDX-License-Identifier: GPL-3.0-or-later
// What flows into a node and out of it, drawn as arrows between spans: from whoever computed its sources, and from the
// copies that were made for it, to its own work; and from that to whoever reads it.
#pragma once
#include <arenascope/trace/info.h>

#include <QPainter>
#include <vector>

namespace arenascope::views {

struct Flow {
  NodeId node;                   // none: nothing flows
  std::vector<NodeId> from, to;  // nodes with work of their own; views are looked through
  bool operator==(const Flow&) const = default;
};
Flow flow_of(const trace::GraphInfo& graph, NodeId node);

// An arrow from the end of one span to the beginning of another, in pixels.
void draw_flow_arrow(QPainter& painter, const QRectF& from, const QRectF& to, const QColor& colour);

}  // namespace arenascope::views
