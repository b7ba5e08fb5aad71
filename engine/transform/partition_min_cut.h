// SPDX-License-Identifier: MIT
// Assigns the values of a graph to two sides at minimum cost. A node reads all its inputs on one side; a copy of a
// value to the other side is counted once for all its readers there. Used by partitioning, image storage and image
// layouts.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include <arenascope/graph/graph.h>
#include "engine/transform/min_cut.h"

namespace arenascope {

// Values are numbered: the graph's nodes, then its leaf tensors.
class PartitionMinCut {
 public:
  explicit PartitionMinCut(const Graph& graph);

  size_t value_of(const TensorImpl& tensor) const;

  void pin_first(size_t value) { cut_.add_edge(first_, vertex(value), MinCut::kForbidden); }
  void pin_second(size_t value) { cut_.add_edge(vertex(value), second_, MinCut::kForbidden); }
  // Cost (> 0) if the value is not on that side.
  void prefer_first(size_t value, int64_t cost) { cut_.add_edge(first_, vertex(value), cost); }
  void prefer_second(size_t value, int64_t cost) { cut_.add_edge(vertex(value), second_, cost); }
  void keep_together(size_t a, size_t b);

  // The value is read on the side of `reader`, or always on the second.
  void read_with(size_t value, size_t reader) { readers_[value].push_back(vertex(reader)); }
  void read_on_second(size_t value) { readers_[value].push_back(second_); }

  // By value: 1 if it is on the first side. If several cuts are minimal, the one with the smallest first side. `copy_cost`:
  // cost of copying the tensor to the other side.
  std::vector<uint8_t> choose(const std::function<int64_t(const TensorImpl&)>& copy_cost);

 private:
  static int vertex(size_t value) { return static_cast<int>(value); }

  const Graph& graph_;
  MinCut cut_;  // values, then the two sides, then the copies
  int first_, second_;
  std::vector<std::vector<int>> readers_;
};

}  // namespace arenascope
