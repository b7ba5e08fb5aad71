// SPDX-License-Identifier: MIT
// Liveness analysis: the node that owns a tensor's bytes, their placement, and the steps of an execution order during
// which they are live. Orders, memory plans, the executor and recordings all use this analysis.
#pragma once
#include <span>
#include <vector>

#include <arenascope/graph/graph.h>
#include <arenascope/graph/op.h>

namespace arenascope {

const char* name(Placement placement);

// The tensor that owns a tensor's bytes: the source of a view, else the tensor itself.
inline const TensorImpl& base_of(const TensorImpl& tensor) { return tensor.is_view() ? *tensor.view_source : tensor; }

inline Placement placement_of(const TensorImpl& given) {
  const TensorImpl& tensor = base_of(given);
  return tensor.op == Op::None ? Placement::Given : tensor.placement;
}

// The sources that a node reads or writes. SET_ROWS and OPTIMIZER_STEP have further sources that only order execution
// (op_params.h, `after`); their bytes are not used.
std::span<TensorImpl* const> sources_read(const TensorImpl& node);

// The lifetime of a tensor's bytes. All views of a tensor share it.
struct Lifetime {
  NodeId owner;  // the node that computes these bytes; none for leaf tensors
  Step first;    // the bytes are live during the steps [first, last)
  Step last;
  Bytes bytes = 0;  // of the owner, laid out contiguously
  Placement placement = Placement::Arena;
  bool kept = false;      // an output uses these bytes: they are live to the last step
  NodeId part_of;         // the concatenation into which these bytes may be aliased, or none
  Bytes part_offset = 0;  // from the first byte of the concatenation
  NodeId in_place_of;     // the node whose bytes the owner may overwrite in its first step, or none
  bool operator==(const Lifetime&) const = default;

  bool in_arena() const { return placement == Placement::Arena && bytes > 0; }
};

struct LifetimeOptions {
  bool keep_outputs = true;  // false: an output ends at its last use, like any other result
  bool join = false;         // find part_of
  bool in_place = false;     // find in_place_of
  Bytes alignment = 1;       // of part_offset, in bytes
};

// Indexed by NodeId. `order` must pass check_order().
//
// part_of is set if each source of the concatenation is a complete contiguous tensor in the arena, occupies a
// contiguous range of the result at a multiple of the alignment, and is an input of no other concatenation.
// in_place_of is set if the owner is a pointwise op, or MAX_POOL_BACK with non-overlapping windows, and this is the
// last use of that source. The source is the first operand or, if the first is used later and the op is commutative
// (ADD, MUL, MIN, MAX, …), the second. It is used as one operand only, is not a view or an output, has the type and
// layout of the result, and is not aliased into a concatenation.
std::vector<Lifetime> find_lifetimes(const Graph& graph, std::span<const NodeId> order,
                                     const LifetimeOptions& options = {});

// The fields that do not depend on an order: owner, bytes, placement and kept. first and last are none, except for leaf
// tensors.
std::vector<Lifetime> find_owners(const Graph& graph, bool keep_outputs = true);

// The peak of live arena bytes over the `steps` of an order. Aliasing into concatenations and computing in place are
// ignored. Saturates at 2^63-1 bytes.
Bytes peak_live_bytes(std::span<const Lifetime> lifetimes, size_t steps);

// Calls use(owner, step) for every node of the order and for each tensor that it reads, except leaf tensors. The owner
// is that of `lifetimes`.
template <class Use>
void for_each_use(const Graph& graph, std::span<const NodeId> order, std::span<const Lifetime> lifetimes, Use&& use) {
  for (size_t i = 0; i < order.size(); ++i) {
    const auto step = Step(i);
    if (const NodeId own = lifetimes[order[i].index()].owner; own.valid()) use(own, step);
    for (const TensorImpl* source : sources_read(graph.node(order[i])))
      if (const NodeId from = graph.find_node(*source); from.valid())
        if (const NodeId owner = lifetimes[from.index()].owner; owner.valid()) use(owner, step);
  }
}

// First and last use of numbered values, for step lists other than a graph's execution order. Calls of use() must have
// ascending steps.
class LiveRangeTable {
 public:
  explicit LiveRangeTable(size_t values) : rows_(values) {}
  void use(size_t value, int32_t step) {
    Row& row = rows_[value];
    if (row.first < 0) row.first = step;
    row.last = step;
  }
  void keep(size_t value) { rows_[value].kept = true; }  // to the end
  bool used(size_t value) const { return rows_[value].first >= 0; }
  bool kept(size_t value) const { return rows_[value].kept; }
  Step first(size_t value) const { return Step(rows_[value].first); }
  // Half-open; `steps`: total number of steps.
  Step last(size_t value, int32_t steps) const { return Step(rows_[value].kept ? steps : rows_[value].last + 1); }

 private:
  struct Row {
    int32_t first = -1, last = -1;
    bool kept = false;
  };
  std::vector<Row> rows_;
};

// True if op, type and layout allow the node to compute its result in place of that source: the first one, or the
// second one of a commutative op. Liveness is not checked.
bool fits_in_place(const TensorImpl& node, size_t source);

// Computes the lifetimes of find_lifetimes() incrementally, in the order in which the nodes were collected. A lifetime
// ends when the graph's use count, without sources that only order execution, is exhausted. For planners that work in
// one pass over the graph.
class LifetimeStream {
 public:
  LifetimeStream(const Graph& graph, bool keep_outputs);

  // Processes node `i`, which must be the next one. If it owns bytes, `begin(node, placement)` is called and returns a
  // number; `end(number)` is called after the last step that uses the bytes, but never for outputs that are kept.
  template <class Begin, class End>
  void step(size_t i, Begin&& begin, End&& end) {
    const TensorImpl& node = *nodes_[i];
    State& state = states_.emplace_back();
    const int32_t uses = graph_.use_count(NodeId(i)) - waits(i) + (keep_outputs_ && node.has(kFlagOutput) ? 1 : 0);
    if (node.is_view()) {
      const NodeId owner = graph_.find_node(*node.view_source);
      state.owner = owner.valid() ? states_[owner.index()].owner : -1;
      if (state.owner >= 0) states_[static_cast<size_t>(state.owner)].uses += uses;
    } else if (node.op != Op::None && node.element_count() > 0) {
      state = {static_cast<int32_t>(i), uses, begin(node, placement_of(node))};
    }
    for (const TensorImpl* source : sources_read(node))
      if (const NodeId from = graph_.find_node(*source); from.valid()) end_use(states_[from.index()].owner, end);
    if (state.owner == static_cast<int32_t>(i) && state.uses == 0) end(state.number);  // not used by any node
  }

 private:
  struct State {
    int32_t owner = -1;   // the node that owns the bytes, or none
    int32_t uses = 0;     // of the owner: remaining uses
    int32_t number = -1;  // of the owner: what begin() returned
  };
  int32_t waits(size_t i) const { return waits_.empty() ? 0 : waits_[i]; }
  template <class End>
  void end_use(int32_t owner, End&& end) {
    if (owner < 0) return;
    State& state = states_[static_cast<size_t>(owner)];
    if (--state.uses == 0) end(state.number);
  }

  const Graph& graph_;
  const std::span<TensorImpl* const> nodes_;
  const bool keep_outputs_;
  std::vector<State> states_;
  std::vector<int32_t> waits_;  // by node: number of order-only uses; empty if there are none
};

}  // namespace arenascope
