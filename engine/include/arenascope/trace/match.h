// SPDX-License-Identifier: MIT
// Which tensors of two graphs are the same one: by name, then by structure, so that two exports of a network, or two
// versions of it, can be laid over each other.
#pragma once
#include <arenascope/trace/info.h>

namespace arenascope::trace {

struct GraphMatch {
  // For each node and leaf of one graph, its counterpart in the other, or none.
  std::vector<TensorRef> nodes_to_other, leafs_to_other;
  std::vector<TensorRef> nodes_from_other, leafs_from_other;

  size_t matched_nodes() const;
  TensorRef to_other(TensorRef ref) const { return look_up(ref, nodes_to_other, leafs_to_other); }
  TensorRef from_other(TensorRef ref) const { return look_up(ref, nodes_from_other, leafs_from_other); }

 private:
  static TensorRef look_up(TensorRef ref, const std::vector<TensorRef>& nodes, const std::vector<TensorRef>& leafs) {
    const auto& list = ref.is_leaf() ? leafs : nodes;
    return ref.valid() && ref.index() < list.size() ? list[ref.index()] : TensorRef::none();
  }
};

// A one-to-one matching: first tensors with a name that is unique in each graph; then consumers and sources of matched
// tensors with the same op at the same operand index, transitively; then the remaining ones of equal op and shape, in order.
// O(edges), except for the last step, which is O(n log n).
GraphMatch match_graphs(const GraphInfo& graph, const GraphInfo& other);

// For two execution orders of matched graphs: the longest sequence of pairs (other's step, own step) that increases in both.
std::vector<std::pair<int32_t, int32_t>> match_steps(const GraphMatch& match, const std::vector<NodeId>& order,
                                                     const std::vector<NodeId>& other_order);

}  // namespace arenascope::trace
