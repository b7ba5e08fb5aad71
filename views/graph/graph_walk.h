// SPDX-License-Identifier: GPL-3.0-or-later
// Navigation along a graph's edges one node at a time: to the producer of an input, or to the users one after another.
#pragma once
#include "folded_graph.h"

namespace arenascope::views {

class GraphWalk {
 public:
  void forget() { *this = {}; }
  // The first producer of `node`; invalid if there is none.
  NodeId producer(const trace::GraphInfo& graph, NodeId node);
  // A user of `node`. If `node` is the user returned last, returns the next user of the previous node instead, if there
  // are several.
  NodeId user(const trace::GraphInfo& graph, NodeId node);

 private:
  std::vector<NodeId> users_;
  size_t at_ = 0;
};

}  // namespace arenascope::views
