// SPDX-License-Identifier: MIT
// A graph: `nodes` (computed tensors and parameters) and `leafs` (leaf tensors), collected depth first from the
// outputs, sources before users, each once. It is stored in its context's pool as one object:
//
//   ┌───────┬────────────┬────────────┬───────────────┬───────────────┬─────────────────┬──────────┐
//   │ Graph │ nodes[cap] │ leafs[cap] │ grads[2·cap]  │ grad_accs[…]  │ use_cnt[2·cap]  │ codes[h] │
//   └───────┴────────────┴────────────┴───────────────┴───────────────┴─────────────────┴──────────┘
//
// with h hash slots: open addressing with linear probing on the impl's address; a slot stores the tensor's index.
// In a growing pool, a full graph moves to arrays of twice the size in another object; the old arrays stay unused.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include <arenascope/base/ids.h>
#include <arenascope/graph/context.h>

namespace arenascope {

struct GraphData;

// A handle; copies share the graph, and each keeps the pool alive.
class Graph {
 public:
  Graph() = default;
  bool defined() const { return data_ != nullptr; }

  // Adds the tensor and everything it depends on. Not recursive, so chains may have any length.
  // Error: more nodes or leafs than the capacity in a pool of fixed size; the graph is then unchanged.
  Status expand(const Tensor& output);

  std::span<TensorImpl* const> nodes() const;
  std::span<TensorImpl* const> leafs() const;
  TensorImpl& node(NodeId id) const { return *nodes()[id.index()]; }
  TensorImpl& leaf(LeafId id) const { return *leafs()[id.index()]; }
  size_t capacity() const;

  // The tensor's id; none() if it is not in the graph.
  NodeId find_node(const TensorImpl& tensor) const;
  LeafId find_leaf(const TensorImpl& tensor) const;
  // Number of times that a tensor of this graph is used as a source.
  int32_t use_count(const TensorImpl& tensor) const;
  int32_t use_count(NodeId node) const;

  // Training graphs only: the gradient of a tensor of this graph and its accumulator; null if it has none.
  bool has_grads() const;
  TensorImpl* grad(const TensorImpl& tensor) const;
  TensorImpl* grad_accumulator(const TensorImpl& tensor) const;
  // Both have no effect for a tensor that is not in the graph. They keep the gradient alive.
  void set_grad(const TensorImpl& tensor, TensorImpl* gradient);
  void set_grad_accumulator(const TensorImpl& tensor, TensorImpl* accumulator);

  const Context& context() const { return context_; }

  // One of the arrays of a graph, for views of the pool: its address, size and used bytes.
  struct Array {
    enum class Of : uint8_t { Nodes, Leafs, Gradients, Accumulators, UseCounts, HashSet };
    Of of;
    const std::byte* begin;
    size_t bytes, used;
  };
  // The arrays of the graph in a pool object; empty for an object that only holds the enlarged arrays of another graph.
  static std::vector<Array> arrays_of(const ObjectHeader& object);
  static size_t head_bytes();  // bytes of a graph object before its arrays

 private:
  friend class Context;
  Graph(Context context, std::byte* place, size_t capacity, bool grads);
  static size_t byte_size(size_t capacity, bool grads);
  static constexpr size_t kMaxNodes = size_t{1} << 29;
  Status grow();

  Context context_;
  GraphData* data_ = nullptr;
};

}  // namespace arenascope
