// SPDX-License-Identifier: GPL-3.0-or-later
// A walk along a graph's edges, one node a time: to what computes a node's source, or to its users in turn.
#pragma once
#include "folded_graph.h"

namespace arenascope::views {

class GraphWalk {
 public:
  void forget() { *this = {}; }
  // The first producer of `node`; none: it has none.
  NodeId producer(const trace::GraphInfo& graph, NodeId node);
  // A user of `node`. Asked at the user that it led to, it gives the next user of the same node where there are several.
  NodeId user(const trace::GraphInfo& graph, NodeId node);

 private:
  std::vector<NodeId> users_;
  size_t at_ = 0;
};

}  // namespace arenascope::views
