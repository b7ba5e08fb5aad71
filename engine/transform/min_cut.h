// SPDX-License-Identifier: MIT
// Minimum s-t cut: an edge from the first side to the second costs its capacity (Ford and Fulkerson 1956; blocking
// flows, Dinitz 1970).
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
  // From `a` to `b`; kForbidden: this edge must not be cut.
  void add_edge(int a, int b, int64_t capacity);
  // By vertex: 1 if it is on the side of `first` in a minimum cut that separates `first` from `second`. If several cuts are
  // minimal, the one with the smallest first side.
  std::vector<uint8_t> side_of(int first, int second);

 private:
  struct Edge {
    int to;
    int64_t left;
  };
  bool find_levels(int from, int to);
  int64_t push(int from, int to);

  std::vector<std::vector<int>> edges_of_;  // indices; an edge and its reverse are adjacent
  std::vector<Edge> edges_;
  std::vector<int> level_;
  std::vector<size_t> next_;
};

}  // namespace arenascope
