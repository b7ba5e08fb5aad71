// SPDX-License-Identifier: MIT
#include "engine/transform/min_cut.h"

#include <algorithm>

namespace arenascope {

int MinCut::add_vertex() {
  edges_of_.emplace_back();
  return static_cast<int>(edges_of_.size()) - 1;
}

void MinCut::add_edge(int a, int b, int64_t capacity) {
  edges_of_[static_cast<size_t>(a)].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({b, capacity});
  edges_of_[static_cast<size_t>(b)].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({a, 0});
}

// Breadth-first distances from `from` over edges with residual capacity.
bool MinCut::find_levels(int from, int to) {
  level_.assign(edges_of_.size(), -1);
  level_[static_cast<size_t>(from)] = 0;
  std::vector<int> open = {from};
  for (size_t at = 0; at < open.size(); ++at)
    for (int e : edges_of_[static_cast<size_t>(open[at])]) {
      const Edge& edge = edges_[static_cast<size_t>(e)];
      if (edge.left <= 0 || level_[static_cast<size_t>(edge.to)] >= 0) continue;
      level_[static_cast<size_t>(edge.to)] = level_[static_cast<size_t>(open[at])] + 1;
      open.push_back(edge.to);
    }
  return level_[static_cast<size_t>(to)] >= 0;
}

// Pushes flow along one path of the level graph; returns its amount, 0 if none is left.
int64_t MinCut::push(int from, int to) {
  std::vector<int> way;  // edges
  int at = from;
  while (at != to) {
    auto& next = next_[static_cast<size_t>(at)];
    const auto& edges = edges_of_[static_cast<size_t>(at)];
    while (next < edges.size()) {
      const Edge& edge = edges_[static_cast<size_t>(edges[next])];
      if (edge.left > 0 && level_[static_cast<size_t>(edge.to)] == level_[static_cast<size_t>(at)] + 1) break;
      ++next;
    }
    if (next < edges.size()) {
      way.push_back(edges[next]);
      at = edges_[static_cast<size_t>(edges[next])].to;
    } else if (way.empty()) {
      return 0;
    } else {  // dead end: step back and skip this edge
      at = edges_[static_cast<size_t>(way.back() ^ 1)].to;
      ++next_[static_cast<size_t>(at)];
      way.pop_back();
    }
  }
  int64_t least = kForbidden;
  for (int e : way) least = std::min(least, edges_[static_cast<size_t>(e)].left);
  for (int e : way) {
    edges_[static_cast<size_t>(e)].left -= least;
    edges_[static_cast<size_t>(e ^ 1)].left += least;
  }
  return least;
}

std::vector<uint8_t> MinCut::side_of(int first, int second) {
  while (find_levels(first, second)) {
    next_.assign(edges_of_.size(), 0);
    // A path without any edge that may be cut: no finite cut exists.
    for (int64_t pushed = push(first, second); pushed > 0; pushed = push(first, second))
      if (pushed >= kForbidden / 2) return std::vector<uint8_t>(edges_of_.size(), 0);
  }
  std::vector<uint8_t> out(edges_of_.size(), 0);
  for (size_t v = 0; v < out.size(); ++v) out[v] = level_[v] >= 0;
  return out;
}

}  // namespace arenascope
