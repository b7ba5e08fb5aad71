// SPDX-License-Identifier: MIT
#include "engine/transform/partition_min_cut.h"

namespace arenascope {

PartitionMinCut::PartitionMinCut(const Graph& graph)
    : graph_(graph), readers_(graph.nodes().size() + graph.leafs().size()) {
  for (size_t i = 0; i < readers_.size(); ++i) cut_.add_vertex();
  first_ = cut_.add_vertex();
  second_ = cut_.add_vertex();
}

size_t PartitionMinCut::value_of(const TensorImpl& tensor) const {
  const NodeId node = graph_.find_node(tensor);
  return node.valid() ? node.index() : graph_.nodes().size() + graph_.find_leaf(tensor).index();
}

void PartitionMinCut::keep_together(size_t a, size_t b) {
  cut_.add_edge(vertex(a), vertex(b), MinCut::kForbidden);
  cut_.add_edge(vertex(b), vertex(a), MinCut::kForbidden);
}

std::vector<uint8_t> PartitionMinCut::choose(const std::function<int64_t(const TensorImpl&)>& copy_cost) {
  const auto nodes = graph_.nodes(), leafs = graph_.leafs();
  for (size_t value = 0; value < readers_.size(); ++value) {
    if (readers_[value].empty()) continue;
    const int64_t cost = copy_cost(value < nodes.size() ? *nodes[value] : *leafs[value - nodes.size()]);
    // One copy serves all readers on the other side.
    const int to_second = cut_.add_vertex(), to_first = cut_.add_vertex();
    cut_.add_edge(vertex(value), to_second, cost);
    cut_.add_edge(to_first, vertex(value), cost);
    for (int reader : readers_[value]) {
      cut_.add_edge(to_second, reader, MinCut::kForbidden);
      cut_.add_edge(reader, to_first, MinCut::kForbidden);
    }
  }
  auto side = cut_.side_of(first_, second_);
  side.resize(readers_.size());
  return side;
}

}  // namespace arenascope
