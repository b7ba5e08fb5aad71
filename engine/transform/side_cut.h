// SPDX-License-Identifier: MIT
// A graph's values on two sides, where a node reads all that it reads on one of them: which way costs least, counting a
// copy to the other side once for all who read the value there. Partition, packing and image layouts choose by it.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include <arenascope/graph/graph.h>
#include "engine/transform/min_cut.h"

namespace arenascope {

// The values are the graph's nodes, then its leafs, by their numbers.
class SideCut {
 public:
  explicit SideCut(const Graph& graph);

  size_t value_of(const TensorImpl& tensor) const;

  void pin_first(size_t value) { cut_.add_edge(first_, vertex(value), MinCut::kForbidden); }
  void pin_second(size_t value) { cut_.add_edge(vertex(value), second_, MinCut::kForbidden); }
  // What it costs, more than 0, if the value does not lie there.
  void prefer_first(size_t value, int64_t cost) { cut_.add_edge(first_, vertex(value), cost); }
  void prefer_second(size_t value, int64_t cost) { cut_.add_edge(vertex(value), second_, cost); }
  void keep_together(size_t a, size_t b);

  // The value is read on the side of `reader`, or always on the second.
  void read_with(size_t value, size_t reader) { readers_[value].push_back(vertex(reader)); }
  void read_on_second(size_t value) { readers_[value].push_back(second_); }

  // By value: 1 on the first side. Of several ways that cost least the one with the fewest there. `copy_cost`: of the
  // tensor, to the other side.
  std::vector<uint8_t> choose(const std::function<int64_t(const TensorImpl&)>& copy_cost);

 private:
  static int vertex(size_t value) { return static_cast<int>(value); }

  const Graph& graph_;
  MinCut cut_;  // values, then the two sides, then what copies need
  int first_, second_;
  std::vector<std::vector<int>> readers_;
};

}  // namespace arenascope
