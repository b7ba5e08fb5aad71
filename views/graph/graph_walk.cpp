// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_walk.h"

namespace arenascope::views {

NodeId GraphWalk::producer(const trace::GraphInfo& graph, NodeId node) {
  forget();
  const std::vector<NodeId> found = producers(graph, node);
  return found.empty() ? NodeId::none() : found.front();
}

NodeId GraphWalk::user(const trace::GraphInfo& graph, NodeId node) {
  if (users_.size() > 1 && node == users_[at_]) {
    at_ = (at_ + 1) % users_.size();
    return users_[at_];
  }
  users_ = users(graph, node);
  at_ = 0;
  return users_.empty() ? NodeId::none() : users_.front();
}

}  // namespace arenascope::views
