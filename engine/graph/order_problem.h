// SPDX-License-Identifier: MIT
// What orders decide about, without what they need not: the ops that make bytes, who reads whose result, and how large
// it is. Views cost nothing and run right behind the op whose bytes they share; given tensors and parameters own no
// bytes here, since they live all the time. What lies elsewhere than in the arena has none either.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

// Many short lists in one piece of memory.
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

// Ops count from 0. Buffer i < op_count() is op i's result; the buffers behind those belong to the lazy sources.
struct OrderProblem {
  std::vector<NodeId> op_nodes;
  IndexLists preds, succs;    // op → ops that it stands behind or before, each once: those it reads or waits for
  IndexLists inputs;          // op → buffers that it reads, each once
  IndexLists consumers;       // buffer → ops that read it, each once
  std::vector<Bytes> bytes;   // of a buffer, in the arena
  std::vector<uint8_t> keep;  // of a buffer: lives to the end
  std::vector<NodeId> lazy_nodes;

  int32_t op_count() const { return static_cast<int32_t>(op_nodes.size()); }
  int32_t buffer_count() const { return static_cast<int32_t>(bytes.size()); }

  // The whole graph's order for an order of the ops.
  std::vector<NodeId> expand(std::span<const int32_t> ops) const;
  // The same the other way round, for any order of the graph.
  std::vector<int32_t> contract(std::span<const NodeId> order) const;
  // The most bytes live at once; see order_peak.h.
  Bytes peak(std::span<const int32_t> ops) const;

  std::vector<NodeId> first;                // nodes without bytes that depend on given tensors only
  std::vector<std::vector<NodeId>> behind;  // by buffer: the views that share it
};

// With `lazy_sources` an op that reads given tensors only, has readers and is not waited for is no op of the problem: it runs just before
// its first reader, where it is never worse (it frees nothing, and its reader's step holds its bytes anyway).
// Without `keep_outputs` none is kept for being an output. Error: all results together have more than 2^63-1 bytes.
Result<OrderProblem> make_order_problem(const Graph& graph, bool lazy_sources, bool keep_outputs = true);

}  // namespace arenascope
