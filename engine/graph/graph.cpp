// SPDX-License-Identifier: MIT
#include <arenascope/graph/graph.h>

#include <algorithm>
#include <bit>
#include <new>

#include <fmt/format.h>

#include <arenascope/base/checked.h>

namespace arenascope {

namespace {

// The content of a hash slot: empty, an index (of a node; of a leaf, after all nodes; into the stack of tensors being
// visited), or a mark that it is to be emptied. The tensor is read from the array with that index.
using Code = uint32_t;
constexpr Code kEmpty = 0;
constexpr Code kRemoved = 1;
constexpr Code kFirstPlace = 2;
constexpr Code kOnStack = Code{1} << 31;

}  // namespace

struct GraphData {
  // A tensor whose inputs are being visited.
  struct Frame {
    TensorImpl* tensor;
    uint32_t next_source;
    int32_t uses;  // counted so far
  };

  size_t capacity, slots;
  size_t node_count, leaf_count;
  TensorImpl** nodes;
  TensorImpl** leafs;
  TensorImpl** grads;  // by index: nodes, then leafs; null without training
  TensorImpl** grad_accumulators;
  int32_t* use_counts;  // by index
  Code* codes;          // by slot
  int slot_bits;
  const Frame* stack;  // while collecting

  const TensorImpl* at_place(Code code) const {
    if (code & kOnStack) return stack[code & ~kOnStack].tensor;
    const size_t place = code - kFirstPlace;
    return place < capacity ? nodes[place] : leafs[place - capacity];
  }
  // The slot of the tensor, or the free slot for it. The hash maps tensors at consecutive addresses of a pool to
  // consecutive slots, without collisions as long as the pool is not larger than the table.
  size_t slot(const TensorImpl* tensor) const {
    constexpr int kLine = 7;  // log2 of 128 bytes; no two tensors start in the same 128 bytes
    const uint64_t line = reinterpret_cast<uintptr_t>(tensor) >> kLine;
    const uint64_t region = line >> slot_bits;
    size_t at = (line + ((region * 0x9E3779B97F4A7C15u) >> 20)) & (slots - 1);
    for (; codes[at] != kEmpty; at = (at + 1) & (slots - 1))
      if (codes[at] != kRemoved && at_place(codes[at]) == tensor) break;
    return at;
  }
  // The index of the tensor: n for node n, capacity + n for leaf n; none if it is not in the graph.
  std::optional<size_t> place_of(const TensorImpl& tensor) const {
    const Code code = codes[slot(&tensor)];
    return code >= kFirstPlace ? std::optional<size_t>(code - kFirstPlace) : std::nullopt;
  }
  bool full(bool node) const { return (node ? node_count : leaf_count) == capacity; }
  // Places the arrays for `new_capacity` nodes and as many leafs at `place`.
  void lay_arrays(std::byte* place, size_t new_capacity, bool with_grads);
  void copy_from(const GraphData& smaller);
  bool collect(TensorImpl* output, std::vector<Frame>& frames);
  void restore(size_t nodes_before, size_t leafs_before, std::span<const Frame> frames);
};

namespace {

// Load factor at most 2/3 with `capacity` nodes and as many leafs.
size_t slots_for(size_t capacity) { return std::bit_ceil(std::max<size_t>(3 * capacity, 8)); }

bool is_leaf(const TensorImpl& tensor) { return tensor.op == Op::None && !tensor.has(kFlagParameter); }

}  // namespace

static_assert(sizeof(ObjectHeader) + sizeof(TensorImpl) >= 128, "see GraphData::slot");

size_t Graph::byte_size(size_t capacity, bool grads) {
  const size_t places = 2 * capacity;
  return sizeof(GraphData) + places * (sizeof(void*) + sizeof(int32_t)) + slots_for(capacity) * sizeof(Code) +
         (grads ? 2 * places * sizeof(void*) : 0);
}

Graph::Graph(Context context, std::byte* place, size_t capacity, bool grads) : context_(std::move(context)) {
  data_ = new (place) GraphData{};
  data_->lay_arrays(place + sizeof(GraphData), capacity, grads);
}

void GraphData::lay_arrays(std::byte* place, size_t new_capacity, bool with_grads) {
  const auto take = [&place]<class T>(T*& list, size_t count) {
    list = reinterpret_cast<T*>(std::exchange(place, place + count * sizeof(T)));
  };
  capacity = new_capacity;
  slots = slots_for(capacity);
  slot_bits = std::countr_zero(slots);
  take(nodes, capacity);
  take(leafs, capacity);
  if (with_grads) {
    take(grads, 2 * capacity);
    take(grad_accumulators, 2 * capacity);
    std::fill_n(grads, 2 * capacity, nullptr);
    std::fill_n(grad_accumulators, 2 * capacity, nullptr);
  }
  take(use_counts, 2 * capacity);
  take(codes, slots);
  std::fill_n(codes, slots, kEmpty);
}

void GraphData::copy_from(const GraphData& smaller) {
  node_count = smaller.node_count;
  leaf_count = smaller.leaf_count;
  const auto copy = [&](auto* to, const auto* from) {  // arrays indexed by node and leaf
    std::copy_n(from, node_count, to);
    std::copy_n(from + smaller.capacity, leaf_count, to + capacity);
  };
  std::copy_n(smaller.nodes, node_count, nodes);
  std::copy_n(smaller.leafs, leaf_count, leafs);
  copy(use_counts, smaller.use_counts);
  if (grads) {
    copy(grads, smaller.grads);
    copy(grad_accumulators, smaller.grad_accumulators);
  }
  for (size_t i = 0; i < node_count; ++i) codes[slot(nodes[i])] = kFirstPlace + static_cast<Code>(i);
  for (size_t i = 0; i < leaf_count; ++i) codes[slot(leafs[i])] = kFirstPlace + static_cast<Code>(capacity + i);
}

// Moves the graph to arrays of twice the size in another object of the pool; visible through all handles.
Status Graph::grow() {
  constexpr size_t kMin = 32;
  const size_t new_capacity = std::max(2 * data_->capacity, kMin);
  if (new_capacity > kMaxNodes) return Error{fmt::format("a graph cannot hold {} nodes", new_capacity)};
  auto place = context_.append_graph(byte_size(new_capacity, has_grads()) - sizeof(GraphData));
  if (!place) return place.error();
  (reinterpret_cast<ObjectHeader*>(*place) - 1)->continued = 1;
  GraphData larger{};
  larger.lay_arrays(*place, new_capacity, has_grads());
  larger.copy_from(*data_);
  *data_ = larger;
  return {};
}

size_t Graph::head_bytes() { return sizeof(GraphData); }

std::vector<Graph::Array> Graph::arrays_of(const ObjectHeader& object) {
  std::vector<Array> out;
  if (object.type != ObjectType::Graph || object.continued != 0) return out;
  const GraphData& g = *std::launder(reinterpret_cast<const GraphData*>(&object + 1));
  const auto add = [&out]<class T>(Array::Of of, const T* list, size_t count, size_t used) {
    if (list) out.push_back({of, reinterpret_cast<const std::byte*>(list), count * sizeof(T), used * sizeof(T)});
  };
  const auto held = [&](TensorImpl* const* list) {
    return list ? 2 * g.capacity - static_cast<size_t>(std::count(list, list + 2 * g.capacity, nullptr)) : 0;
  };
  using Of = Array::Of;
  const size_t tensors = g.node_count + g.leaf_count;
  add(Of::Nodes, g.nodes, g.capacity, g.node_count);
  add(Of::Leafs, g.leafs, g.capacity, g.leaf_count);
  add(Of::Gradients, g.grads, 2 * g.capacity, held(g.grads));
  add(Of::Accumulators, g.grad_accumulators, 2 * g.capacity, held(g.grad_accumulators));
  add(Of::UseCounts, g.use_counts, 2 * g.capacity, tensors);
  add(Of::HashSet, g.codes, g.slots, tensors);
  return out;
}

// Reverts the additions of a failed collection. The entries added last are removed together, so that no probe sequence
// of a remaining entry is interrupted.
void GraphData::restore(size_t nodes_before, size_t leafs_before, std::span<const Frame> frames) {
  stack = frames.data();
  const auto uncount = [this](const TensorImpl* user, size_t sources) {
    for (size_t i = 0; i < sources; ++i)
      if (const Code code = codes[slot(user->sources[i])]; code >= kFirstPlace && !(code & kOnStack))
        --use_counts[code - kFirstPlace];
  };
  const auto remove = [this](const TensorImpl* tensor) { codes[slot(tensor)] = kRemoved; };
  for (size_t i = nodes_before; i < node_count; ++i) uncount(nodes[i], nodes[i]->sources.size());
  for (const Frame& frame : frames) uncount(frame.tensor, frame.next_source);
  for (size_t i = nodes_before; i < node_count; ++i) remove(nodes[i]);
  for (size_t i = leafs_before; i < leaf_count; ++i) remove(leafs[i]);
  for (const Frame& frame : frames) remove(frame.tensor);
  std::replace(codes, codes + slots, kRemoved, kEmpty);
  node_count = nodes_before;
  leaf_count = leafs_before;
  stack = nullptr;
}

// Depth-first traversal with an explicit stack. Returns false if the capacity is exceeded.
bool GraphData::collect(TensorImpl* output, std::vector<Frame>& frames) {
  // Pushes the tensor if there is space; the entries on the stack and in the lists must fit the hash set.
  const auto push = [&](TensorImpl* tensor, size_t at, int32_t uses) {
    if (node_count + leaf_count + frames.size() >= 2 * capacity) return false;
    frames.push_back({tensor, 0, uses});
    stack = frames.data();
    codes[at] = kOnStack | static_cast<Code>(frames.size() - 1);
    return true;
  };
  {
    const size_t at = slot(output);
    if (codes[at] == kEmpty && !push(output, at, 0)) return false;
  }
  while (!frames.empty()) {
    Frame& frame = frames.back();
    TensorImpl* tensor = frame.tensor;
    if (frame.next_source < tensor->sources.size()) {
      TensorImpl* source = tensor->sources[frame.next_source];
      const size_t at = slot(source);
      const Code code = codes[at];
      if (code == kEmpty) {
        const size_t depth = frames.size() - 1;
        if (!push(source, at, 1)) return false;  // may move the stack: `frame` is not used after this
        ++frames[depth].next_source;
        continue;
      }
      if (code & kOnStack)
        ++frames[code & ~kOnStack].uses;
      else
        ++use_counts[code - kFirstPlace];
      ++frame.next_source;
      continue;
    }
    const bool node = !is_leaf(*tensor);
    if (full(node)) return false;
    const size_t at = slot(tensor);
    const size_t place = node ? node_count : capacity + leaf_count;
    (node ? nodes[node_count++] : leafs[leaf_count++]) = tensor;
    use_counts[place] = frame.uses;
    codes[at] = kFirstPlace + static_cast<Code>(place);
    frames.pop_back();
  }
  stack = nullptr;
  return true;
}

Status Graph::expand(const Tensor& output) {
  if (!output) return Error{"a graph cannot be collected from an undefined tensor"};
  GraphData& g = *data_;
  const size_t nodes_before = g.node_count, leafs_before = g.leaf_count;
  std::vector<GraphData::Frame> stack;
  try {
    context_.keep_alive(output);
    while (!g.collect(output.impl(), stack)) {
      g.restore(nodes_before, leafs_before, stack);
      stack.clear();
      if (!context_.grows())
        return Error{fmt::format("a graph with a capacity of {} nodes and as many leafs is too small for '{}'",
                                 g.capacity, output.name())};
      if (auto ok = grow(); !ok) return ok;
    }
    return {};
  } catch (const std::bad_alloc&) {
    g.restore(nodes_before, leafs_before, stack);
    return Error{"no memory is left to collect a graph"};
  }
}

std::span<TensorImpl* const> Graph::nodes() const { return {data_->nodes, data_->node_count}; }
std::span<TensorImpl* const> Graph::leafs() const { return {data_->leafs, data_->leaf_count}; }
size_t Graph::capacity() const { return data_->capacity; }

NodeId Graph::find_node(const TensorImpl& tensor) const {
  const auto place = data_->place_of(tensor);
  return place && *place < data_->capacity ? NodeId(*place) : NodeId::none();
}

LeafId Graph::find_leaf(const TensorImpl& tensor) const {
  const auto place = data_->place_of(tensor);
  return place && *place >= data_->capacity ? LeafId(*place - data_->capacity) : LeafId::none();
}

int32_t Graph::use_count(const TensorImpl& tensor) const {
  const auto place = data_->place_of(tensor);
  return place ? data_->use_counts[*place] : 0;
}

int32_t Graph::use_count(NodeId node) const { return data_->use_counts[node.index()]; }

bool Graph::has_grads() const { return data_->grads != nullptr; }

TensorImpl* Graph::grad(const TensorImpl& tensor) const {
  const auto place = data_->place_of(tensor);
  return data_->grads && place ? data_->grads[*place] : nullptr;
}

TensorImpl* Graph::grad_accumulator(const TensorImpl& tensor) const {
  const auto place = data_->place_of(tensor);
  return data_->grad_accumulators && place ? data_->grad_accumulators[*place] : nullptr;
}

void Graph::set_grad(const TensorImpl& tensor, TensorImpl* gradient) {
  const auto place = data_->place_of(tensor);
  if (!data_->grads || !place) return;
  context_.keep_alive(Tensor(gradient));
  data_->grads[*place] = gradient;
}

void Graph::set_grad_accumulator(const TensorImpl& tensor, TensorImpl* accumulator) {
  const auto place = data_->place_of(tensor);
  if (!data_->grad_accumulators || !place) return;
  context_.keep_alive(Tensor(accumulator));
  data_->grad_accumulators[*place] = accumulator;
}

}  // namespace arenascope
