// SPDX-License-Identifier: MIT
#include "engine/graph/order_problem.h"

#include <algorithm>

#include <arenascope/base/checked.h>
#include <arenascope/graph/lifetime.h>

namespace arenascope {
namespace {

void sort_unique(std::vector<int32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// By node: the op that it runs with, or none. A node that computes bytes or writes into other bytes is its own op; a
// view runs with the op of its source. A view of leaf tensors is not an op unless it depends on one: a node that writes
// into a leaf tensor, and its views, own no bytes but must still follow their inputs.
std::vector<NodeId> find_ops(const Graph& graph, const std::vector<Lifetime>& lives) {
  const auto nodes = graph.nodes();
  std::vector<NodeId> op_of(nodes.size());
  const auto op_from = [&](const TensorImpl* source) {
    const NodeId from = graph.find_node(*source);
    return from.valid() ? op_of[from.index()] : NodeId::none();
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeId owner = lives[i].owner;
    if (owner.valid())
      op_of[i] = owner == NodeId(i) || info(nodes[i]->op).writes_source() ? NodeId(i) : op_from(nodes[i]->sources[0]);
    else if (std::any_of(nodes[i]->sources.begin(), nodes[i]->sources.end(),
                         [&](const TensorImpl* source) { return op_from(source).valid(); }))
      op_of[i] = NodeId(i);
  }
  return op_of;
}

// For each op node: the op nodes whose bytes it reads, all its predecessors, and whether its result is read and has no
// order-only uses.
struct Reads {
  std::vector<std::vector<int32_t>> of, preds;
  std::vector<uint8_t> only_read;
};

Reads find_reads(const Graph& graph, const std::vector<Lifetime>& lives, const std::vector<NodeId>& op_of) {
  const auto nodes = graph.nodes();
  using Lists = std::vector<std::vector<int32_t>>;
  Reads reads{Lists(nodes.size()), Lists(nodes.size()), std::vector<uint8_t>(nodes.size(), 0)};
  std::vector<int32_t> waited;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (op_of[i] != NodeId(i)) continue;
    const size_t read = sources_read(*nodes[i]).size();
    for (size_t s = 0; s < nodes[i]->sources.size(); ++s) {
      const NodeId from = graph.find_node(*nodes[i]->sources[s]);
      if (!from.valid() || !op_of[from.index()].valid()) continue;
      const NodeId op = op_of[from.index()], owner = lives[from.index()].owner;
      reads.preds[i].push_back(op.value);
      (s < read ? reads.of[i] : waited).push_back(owner.valid() ? owner.value : op.value);
    }
    sort_unique(reads.of[i]);
    sort_unique(reads.preds[i]);
    for (int32_t from : reads.of[i]) reads.only_read[static_cast<size_t>(from)] = 1;
  }
  for (int32_t from : waited) reads.only_read[static_cast<size_t>(from)] = 0;
  return reads;
}

// Divides the op nodes into ops and lazy sources; returns the buffer of each node, or -1.
std::vector<int32_t> number_buffers(const std::vector<NodeId>& op_of, const Reads& reads, bool lazy_sources,
                                    OrderProblem& p) {
  std::vector<int32_t> buffer_of(op_of.size(), -1);
  for (size_t i = 0; i < op_of.size(); ++i) {
    if (op_of[i] != NodeId(i)) continue;
    if (lazy_sources && reads.preds[i].empty() && reads.only_read[i]) {
      p.lazy_nodes.push_back(NodeId(i));
    } else {
      buffer_of[i] = p.op_count();
      p.op_nodes.push_back(NodeId(i));
    }
  }
  for (size_t k = 0; k < p.lazy_nodes.size(); ++k)
    buffer_of[p.lazy_nodes[k].index()] = p.op_count() + static_cast<int32_t>(k);
  return buffer_of;
}

}  // namespace

IndexLists::IndexLists(const std::vector<std::vector<int32_t>>& lists) {
  size_t total = 0;
  for (const auto& list : lists) total += list.size();
  starts_.reserve(lists.size() + 1);
  items_.reserve(total);
  for (const auto& list : lists) {
    items_.insert(items_.end(), list.begin(), list.end());
    starts_.push_back(static_cast<uint32_t>(items_.size()));
  }
}

Result<OrderProblem> make_order_problem(const Graph& graph, bool lazy_sources, bool keep_outputs) {
  const std::vector<Lifetime> lives = find_owners(graph, keep_outputs);
  const size_t nodes = graph.nodes().size();
  const std::vector<NodeId> op_of = find_ops(graph, lives);
  const Reads reads = find_reads(graph, lives, op_of);
  OrderProblem p;
  const std::vector<int32_t> buffer_of = number_buffers(op_of, reads, lazy_sources, p);
  const size_t ops = p.op_nodes.size(), buffers = ops + p.lazy_nodes.size();
  p.bytes.resize(buffers);
  p.keep.resize(buffers);
  p.views.resize(buffers);
  std::optional<Bytes> total = 0;
  std::vector<std::vector<int32_t>> preds(ops), succs(ops), inputs(ops), consumers(buffers);
  for (size_t i = 0; i < nodes; ++i) {
    if (op_of[i] != NodeId(i)) {
      if (op_of[i].valid())
        p.views[static_cast<size_t>(buffer_of[op_of[i].index()])].push_back(NodeId(i));
      else
        p.first.push_back(NodeId(i));
      continue;
    }
    const auto b = static_cast<size_t>(buffer_of[i]);
    const bool owns = lives[i].owner == NodeId(i);
    p.bytes[b] = owns && lives[i].in_arena() ? lives[i].bytes : 0;
    p.keep[b] = owns && lives[i].kept;
    total = checked_add(*total, p.bytes[b]);
    if (!total) return Error{"the results in this graph have more than 2^63-1 bytes in total"};
    for (int32_t from : reads.of[i]) {
      const int32_t source = buffer_of[static_cast<size_t>(from)];
      inputs[b].push_back(source);
      consumers[static_cast<size_t>(source)].push_back(static_cast<int32_t>(b));
    }
    for (int32_t from : reads.preds[i]) {
      const int32_t source = buffer_of[static_cast<size_t>(from)];
      if (source >= p.op_count()) continue;
      preds[b].push_back(source);
      succs[static_cast<size_t>(source)].push_back(static_cast<int32_t>(b));
    }
  }
  p.preds = IndexLists(preds);
  p.succs = IndexLists(succs);
  p.inputs = IndexLists(inputs);
  p.consumers = IndexLists(consumers);
  return p;
}

std::vector<NodeId> OrderProblem::expand(std::span<const int32_t> ops) const {
  std::vector<NodeId> order = first;
  std::vector<uint8_t> started(bytes.size(), 0);
  const auto emit = [&](int32_t buffer, NodeId node) {
    started[static_cast<size_t>(buffer)] = 1;
    order.push_back(node);
    const auto& following = views[static_cast<size_t>(buffer)];
    order.insert(order.end(), following.begin(), following.end());
  };
  for (int32_t op : ops) {
    for (int32_t b : inputs[op])
      if (!started[static_cast<size_t>(b)]) emit(b, lazy_nodes[static_cast<size_t>(b - op_count())]);
    emit(op, op_nodes[static_cast<size_t>(op)]);
  }
  return order;
}

std::vector<int32_t> OrderProblem::contract(std::span<const NodeId> order) const {
  std::vector<int32_t> op_of(order.size(), -1);
  for (size_t i = 0; i < op_nodes.size(); ++i) op_of[op_nodes[i].index()] = static_cast<int32_t>(i);
  std::vector<int32_t> ops;
  ops.reserve(op_nodes.size());
  for (NodeId node : order)
    if (op_of[node.index()] >= 0) ops.push_back(op_of[node.index()]);
  return ops;
}

Bytes OrderProblem::peak(std::span<const int32_t> ops) const {
  std::vector<int32_t> left(bytes.size());
  std::vector<uint8_t> started(bytes.size(), 0);
  for (size_t b = 0; b < bytes.size(); ++b) left[b] = static_cast<int32_t>(consumers[b].size());
  Bytes live = 0, most = 0;
  for (int32_t op : ops) {
    const auto start = [&](int32_t b) {
      if (!std::exchange(started[static_cast<size_t>(b)], 1)) live += bytes[static_cast<size_t>(b)];
    };
    for (int32_t b : inputs[op]) start(b);
    start(op);
    most = std::max(most, live);
    for (int32_t b : inputs[op])
      if (--left[static_cast<size_t>(b)] == 0 && !keep[static_cast<size_t>(b)]) live -= bytes[static_cast<size_t>(b)];
    if (left[static_cast<size_t>(op)] == 0 && !keep[static_cast<size_t>(op)]) live -= bytes[static_cast<size_t>(op)];
  }
  return most;
}

}  // namespace arenascope
