// SPDX-License-Identifier: MIT
// A graph: `nodes` (to be computed, parameters too) and `leafs` (given), collected depth first from the
// outputs, sources before users, each once. It lies in its context's pool as one object:
//
//   ┌───────┬────────────┬────────────┬───────────────┬───────────────┬─────────────────┬──────────┐
//   │ Graph │ nodes[cap] │ leafs[cap] │ grads[2·cap]  │ grad_accs[…]  │ use_cnt[2·cap]  │ codes[h] │
//   └───────┴────────────┴────────────┴───────────────┴───────────────┴─────────────────┴──────────┘
//
// with h hash slots, open addressing with linear probing over the impl's address; a slot says where the tensor stands.
// In a pool that grows, a full graph continues in arrays twice as large: another object; the old ones lie idle.
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

  // Adds the tensor and everything that it depends on, without recursion: a chain of any length is fine.
  // Error: more nodes or leafs than the capacity, in a pool that does not grow; the graph is then as it was before.
  Status expand(const Tensor& output);

  std::span<TensorImpl* const> nodes() const;
  std::span<TensorImpl* const> leafs() const;
  TensorImpl& node(NodeId id) const { return *nodes()[id.index()]; }
  TensorImpl& leaf(LeafId id) const { return *leafs()[id.index()]; }
  size_t capacity() const;

  // Where a tensor stands, none() where it does not.
  NodeId find_node(const TensorImpl& tensor) const;
  LeafId find_leaf(const TensorImpl& tensor) const;
  // How often a tensor of this graph is a source.
  int32_t use_count(const TensorImpl& tensor) const;
  int32_t use_count(NodeId node) const;

  // Training graphs only: the gradient of a tensor of this graph and its accumulator; null where there is none.
  bool has_grads() const;
  TensorImpl* grad(const TensorImpl& tensor) const;
  TensorImpl* grad_accumulator(const TensorImpl& tensor) const;
  // Both are ignored for a tensor that is not in the graph. They keep the gradient alive.
  void set_grad(const TensorImpl& tensor, TensorImpl* gradient);
  void set_grad_accumulator(const TensorImpl& tensor, TensorImpl* accumulator);

  const Context& context() const { return context_; }

  // One of the arrays of a graph, for whoever shows the pool: where it lies, and how many of its bytes hold something.
  struct Array {
    enum class Of : uint8_t { Nodes, Leafs, Gradients, Accumulators, UseCounts, HashSet };
    Of of;
    const std::byte* begin;
    size_t bytes, used;
  };
  // Of the graph that an object of the pool holds; none of one in which an earlier graph goes on.
  static std::vector<Array> arrays_of(const ObjectHeader& object);
  static size_t head_bytes();  // of such an object, before its arrays

 private:
  friend class Context;
  Graph(Context context, std::byte* place, size_t capacity, bool grads);
  static size_t byte_size(size_t capacity, bool grads);
  static constexpr size_t kMostNodes = size_t{1} << 29;
  Status grow();

  Context context_;
  GraphData* data_ = nullptr;
};

}  // namespace arenascope
