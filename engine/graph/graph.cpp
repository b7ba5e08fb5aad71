// SPDX-License-Identifier: MIT
#include <arenascope/graph/graph.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>

#include <fmt/format.h>

#include <arenascope/base/checked.h>

namespace arenascope {

namespace {

// A tensor whose sources are being visited.
struct Frame {
  TensorImpl* tensor;
  size_t next_source;
};

// In GraphData::index: being visited; to be taken out again. Leaf n is -2 - n, so the second cannot be a leaf.
constexpr int32_t kVisiting = -1;
constexpr int32_t kRemoved = std::numeric_limits<int32_t>::min();

}  // namespace

struct GraphData {
  size_t capacity, slots;
  size_t node_count, leaf_count;
  TensorImpl** nodes;
  TensorImpl** leafs;
  const TensorImpl** keys;
  int32_t* index;       // of the tensor in a slot: n for node n, -2 - n for leaf n, -1 while it is being visited
  int32_t* use_counts;
  TensorImpl** grads;   // null without training
  TensorImpl** grad_accumulators;

  // The slot that holds the tensor, or the free one where it belongs.
  size_t slot(const TensorImpl* tensor) const {
    uint64_t h = reinterpret_cast<uintptr_t>(tensor) >> 4;
    h *= 0x9E3779B97F4A7C15u;
    size_t at = (h >> 32) & (slots - 1);
    while (keys[at] && keys[at] != tensor) at = (at + 1) & (slots - 1);
    return at;
  }
  bool full(bool node) const { return (node ? node_count : leaf_count) == capacity; }
  bool collect(TensorImpl* output, std::vector<Frame>& stack);
  void restore(size_t nodes_before, size_t leafs_before, std::span<const Frame> stack);
};

namespace {

// Never more than two thirds full: `capacity` nodes, as many leafs.
size_t slots_for(size_t capacity) { return std::bit_ceil(std::max<size_t>(3 * capacity, 8)); }

bool is_leaf(const TensorImpl& tensor) { return tensor.op == Op::None && !tensor.has(kFlagParameter); }

}  // namespace

size_t Graph::byte_size(size_t capacity, bool grads) {
  const size_t slots = slots_for(capacity);
  return sizeof(GraphData) + 2 * capacity * sizeof(void*) + slots * (sizeof(void*) + 2 * sizeof(int32_t)) +
         (grads ? 2 * slots * sizeof(void*) : 0);
}

Graph::Graph(Context context, std::byte* place, size_t capacity, bool grads) : context_(std::move(context)) {
  data_ = new (place) GraphData{};
  std::byte* at = place + sizeof(GraphData);
  const auto take = [&at](size_t bytes) { return std::exchange(at, at + bytes); };
  data_->capacity = capacity;
  data_->slots = slots_for(capacity);
  data_->nodes = reinterpret_cast<TensorImpl**>(take(capacity * sizeof(void*)));
  data_->leafs = reinterpret_cast<TensorImpl**>(take(capacity * sizeof(void*)));
  data_->keys = reinterpret_cast<const TensorImpl**>(take(data_->slots * sizeof(void*)));
  if (grads) {
    data_->grads = reinterpret_cast<TensorImpl**>(take(data_->slots * sizeof(void*)));
    data_->grad_accumulators = reinterpret_cast<TensorImpl**>(take(data_->slots * sizeof(void*)));
    std::fill_n(data_->grads, data_->slots, nullptr);
    std::fill_n(data_->grad_accumulators, data_->slots, nullptr);
  }
  data_->index = reinterpret_cast<int32_t*>(take(data_->slots * sizeof(int32_t)));
  data_->use_counts = reinterpret_cast<int32_t*>(take(data_->slots * sizeof(int32_t)));
  std::fill_n(data_->keys, data_->slots, nullptr);
}

// Takes back what a collection has added. What came last goes as a whole, so no gap opens in a chain of slots that
// somebody who stays depends on.
void GraphData::restore(size_t nodes_before, size_t leafs_before, std::span<const Frame> stack) {
  const auto uncount = [this](const TensorImpl* user, size_t sources) {
    for (size_t i = 0; i < sources; ++i) --use_counts[slot(user->sources[i])];
  };
  const auto remove = [this](const TensorImpl* tensor) { index[slot(tensor)] = kRemoved; };
  for (size_t i = nodes_before; i < node_count; ++i) uncount(nodes[i], nodes[i]->sources.size());
  for (const Frame& frame : stack) uncount(frame.tensor, frame.next_source);
  for (size_t i = nodes_before; i < node_count; ++i) remove(nodes[i]);
  for (size_t i = leafs_before; i < leaf_count; ++i) remove(leafs[i]);
  for (const Frame& frame : stack) remove(frame.tensor);
  for (size_t at = 0; at < slots; ++at)
    if (keys[at] && index[at] == kRemoved) keys[at] = nullptr;
  node_count = nodes_before;
  leaf_count = leafs_before;
}

// Visits depth first with a stack of its own. False when the capacity does not suffice.
bool GraphData::collect(TensorImpl* output, std::vector<Frame>& stack) {
  size_t pending = 0;  // visited but not yet in a list; together with the lists they must fit the hash set
  // The tensor's slot; none when there is no room for it.
  const auto visit = [&](TensorImpl* tensor) -> std::optional<size_t> {
    const size_t at = slot(tensor);
    if (keys[at]) return at;
    if (node_count + leaf_count + pending >= 2 * capacity) return std::nullopt;
    stack.push_back({tensor, 0});
    keys[at] = tensor;
    index[at] = kVisiting;
    use_counts[at] = 0;
    ++pending;
    return at;
  };
  if (!visit(output)) return false;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    TensorImpl* tensor = frame.tensor;
    if (frame.next_source < tensor->sources.size()) {
      TensorImpl* source = tensor->sources[frame.next_source];
      const size_t depth = stack.size() - 1;
      const auto at = visit(source);  // may move the stack: `frame` is not used after this
      if (!at) return false;
      ++use_counts[*at];
      ++stack[depth].next_source;
      continue;
    }
    const bool node = !is_leaf(*tensor);
    if (full(node)) return false;
    const size_t at = slot(tensor);
    if (node) {
      index[at] = static_cast<int32_t>(node_count);
      nodes[node_count++] = tensor;
    } else {
      index[at] = -2 - static_cast<int32_t>(leaf_count);
      leafs[leaf_count++] = tensor;
    }
    --pending;
    stack.pop_back();
  }
  return true;
}

Status Graph::expand(const Tensor& output) {
  if (!output) return Error{"a graph cannot be collected from an undefined tensor"};
  GraphData& g = *data_;
  const size_t nodes_before = g.node_count, leafs_before = g.leaf_count;
  std::vector<Frame> stack;
  try {
    context_.keep_alive(output);
    if (g.collect(output.impl(), stack)) return {};
  } catch (const std::bad_alloc&) {
    g.restore(nodes_before, leafs_before, stack);
    return Error{"no memory is left to collect a graph"};
  }
  g.restore(nodes_before, leafs_before, stack);
  return Error{fmt::format("a graph with room for {} nodes and as many leafs is too small for '{}'", g.capacity,
                           output.name())};
}

std::span<TensorImpl* const> Graph::nodes() const { return {data_->nodes, data_->node_count}; }
std::span<TensorImpl* const> Graph::leafs() const { return {data_->leafs, data_->leaf_count}; }
size_t Graph::capacity() const { return data_->capacity; }

NodeId Graph::find_node(const TensorImpl& tensor) const {
  const size_t at = data_->slot(&tensor);
  return data_->keys[at] && data_->index[at] >= 0 ? NodeId(data_->index[at]) : NodeId::none();
}

LeafId Graph::find_leaf(const TensorImpl& tensor) const {
  const size_t at = data_->slot(&tensor);
  return data_->keys[at] && data_->index[at] <= -2 ? LeafId(-2 - data_->index[at]) : LeafId::none();
}

int32_t Graph::use_count(const TensorImpl& tensor) const {
  const size_t at = data_->slot(&tensor);
  return data_->keys[at] ? data_->use_counts[at] : 0;
}

bool Graph::has_grads() const { return data_->grads != nullptr; }

TensorImpl* Graph::grad(const TensorImpl& tensor) const {
  const size_t at = data_->slot(&tensor);
  return data_->grads && data_->keys[at] ? data_->grads[at] : nullptr;
}

TensorImpl* Graph::grad_accumulator(const TensorImpl& tensor) const {
  const size_t at = data_->slot(&tensor);
  return data_->grad_accumulators && data_->keys[at] ? data_->grad_accumulators[at] : nullptr;
}

void Graph::set_grad(const TensorImpl& tensor, TensorImpl* gradient) {
  const size_t at = data_->slot(&tensor);
  if (!data_->grads || !data_->keys[at]) return;
  context_.keep_alive(Tensor(gradient));
  data_->grads[at] = gradient;
}

void Graph::set_grad_accumulator(const TensorImpl& tensor, TensorImpl* accumulator) {
  const size_t at = data_->slot(&tensor);
  if (!data_->grad_accumulators || !data_->keys[at]) return;
  context_.keep_alive(Tensor(accumulator));
  data_->grad_accumulators[at] = accumulator;
}

}  // namespace arenascope
