// SPDX-License-Identifier: MIT
// The cheapest way to part vertices into two sides, where an edge costs its capacity if it leads from the first side to
// the second (Ford and Fulkerson 1956; by blocking flows, Dinitz 1970).
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace arenascope {

class MinCut {
 public:
  static constexpr int64_t kForbidden = std::numeric_limits<int64_t>::max() / 4;

  int add_vertex();
  // From `a` to `b`; kForbidden: the two may not be parted that way.
  void add_edge(int a, int b, int64_t capacity);
  // Which vertices lie on the side of `first` in the cheapest parting that has `second` on the other one: of several
  // the one with the fewest. By vertex.
  std::vector<uint8_t> side_of(int first, int second);

 private:
  struct Edge {
    int to;
    int64_t left;
  };
  bool find_levels(int from, int to);
  int64_t push(int from, int to);

  std::vector<std::vector<int>> edges_of_;  // indices; an edge and its reverse stand side by side
  std::vector<Edge> edges_;
  std::vector<int> level_;
  std::vector<size_t> next_;
};

}  // namespace arenascope
