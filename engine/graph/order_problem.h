// SPDX-License-Identifier: MIT
// The ordering problem reduced to the relevant data: the ops that own bytes, their dependencies and the sizes of their
// results. Views cost nothing and run directly after the op whose bytes they share. Leaf tensors and parameters have no
// bytes here because they are always live; neither have results outside the arena.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

// Many short lists in one contiguous array (CSR).
class IndexLists {
 public:
  IndexLists() = default;
  explicit IndexLists(const std::vector<std::vector<int32_t>>& lists);
  size_t size() const { return starts_.size() - 1; }
  std::span<const int32_t> operator[](size_t i) const {
    return {items_.data() + starts_[i], items_.data() + starts_[i + 1]};
  }
  std::span<const int32_t> operator[](int32_t i) const { return (*this)[static_cast<size_t>(i)]; }

 private:
  std::vector<uint32_t> starts_{0};
  std::vector<int32_t> items_;
};

// Ops are numbered from 0. Buffer i < op_count() is the result of op i; the following buffers belong to the lazy
// sources.
struct OrderProblem {
  std::vector<NodeId> op_nodes;
  IndexLists preds, succs;    // op → predecessors and successors, each once, including order-only dependencies
  IndexLists inputs;          // op → buffers that it reads, each once
  IndexLists consumers;       // buffer → ops that read it, each once
  std::vector<Bytes> bytes;   // arena bytes of a buffer
  std::vector<uint8_t> keep;  // by buffer: live to the end
  std::vector<NodeId> lazy_nodes;

  int32_t op_count() const { return static_cast<int32_t>(op_nodes.size()); }
  int32_t buffer_count() const { return static_cast<int32_t>(bytes.size()); }

  // The order of all nodes for an order of the ops.
  std::vector<NodeId> expand(std::span<const int32_t> ops) const;
  // The inverse, for any order of the graph.
  std::vector<int32_t> contract(std::span<const NodeId> order) const;
  // The peak of live bytes; see order_peak.h.
  Bytes peak(std::span<const int32_t> ops) const;

  std::vector<NodeId> first;               // nodes without bytes that depend on leaf tensors only
  std::vector<std::vector<NodeId>> views;  // by buffer: the views that share it
};

// With `lazy_sources`, an op that reads only leaf tensors, has readers and no order-only uses is not an op of the
// problem. It runs just before its first reader, which is never worse: it frees nothing, and its bytes are live in its
// reader's step anyway. Without `keep_outputs` outputs are not kept to the end. Error: the results have more than
// 2^63-1 bytes in total.
Result<OrderProblem> make_order_problem(const Graph& graph, bool lazy_sources, bool keep_outputs = true);

}  // namespace arenascope
