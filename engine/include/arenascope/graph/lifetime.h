// SPDX-License-Identifier: MIT
// Liveness: whose bytes a tensor is made of, where they lie, and from which step of an order to which they must be
// there. Orders, memory plans, the executor and recordings all read it from here; nothing else works out a last use.
#pragma once
#include <span>
#include <vector>

#include <arenascope/graph/graph.h>
#include <arenascope/graph/op.h>

namespace arenascope {

const char* name(Placement placement);

// The tensor that a tensor's bytes belong to: what it is a view of, or itself.
inline const TensorImpl& base_of(const TensorImpl& tensor) { return tensor.is_view() ? *tensor.view_source : tensor; }

inline Placement placement_of(const TensorImpl& given) {
  const TensorImpl& tensor = base_of(given);
  return tensor.op == Op::None ? Placement::Given : tensor.placement;
}

// The sources whose bytes a node reads or writes. Behind them SET_ROWS and OPTIMIZER_STEP name what they only wait for
// (op_params.h, `after`), whose bytes nobody needs for that.
std::span<TensorImpl* const> sources_read(const TensorImpl& node);

// A tensor's bytes in time. All views of a tensor have its lifetime.
struct Lifetime {
  NodeId owner;  // the node that computes these bytes; none for given ones
  Step first;    // the bytes are needed in the steps [first, last)
  Step last;
  Bytes bytes = 0;  // of the owner, laid out contiguously
  Placement placement = Placement::Arena;
  bool kept = false;      // an output lies in these bytes: they are needed to the last step
  NodeId part_of;         // the concatenation in whose bytes these may lie, or none
  Bytes part_offset = 0;  // from that one's first byte
  NodeId in_place_of;     // the node whose bytes the owner may take over in its first step, or none
  bool operator==(const Lifetime&) const = default;

  bool in_arena() const { return placement == Placement::Arena && bytes > 0; }
};

struct LifetimeOptions {
  bool keep_outputs = true;  // else an output ends with its last reader, as any other result
  bool join = false;         // find part_of
  bool in_place = false;     // find in_place_of
  Bytes alignment = 1;       // of part_offset, in bytes
};

// By node. `order` must pass check_order().
//
// part_of: each source of the concatenation is a whole contiguous tensor in the arena, a contiguous stretch of the
// result at a multiple of the alignment, and part of no other concatenation.
// in_place_of: the owner is a pointwise op, or the gradient of a largest element of windows side by side, which reads that
// source there for the last time, as no other operand: its first one or, where that is needed on and the two may be
// exchanged (ADD, MUL, MIN, MAX, …), its second. It is no view, has the same type and layout, is no output, and shares
// its bytes with no concatenation.
std::vector<Lifetime> find_lifetimes(const Graph& graph, std::span<const NodeId> order,
                                     const LifetimeOptions& options = {});

// What depends on no order: owner, bytes, placement and kept. first and last are none, but for given bytes.
std::vector<Lifetime> find_owners(const Graph& graph, bool keep_outputs = true);

// The most bytes of the arena that are needed in one step of an order of `steps`, without what could be joined or taken
// over. Sums beyond 2^63-1 bytes give 2^63-1.
Bytes most_live(std::span<const Lifetime> lifetimes, size_t steps);

// Calls use(owner, step) for every node of the order and each tensor that it reads, unless their bytes are given.
// `lifetimes` say who owns what.
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

// First and last use of numbered values, for lists of steps that are no graph's order. Steps come rising.
class LastUses {
 public:
  explicit LastUses(size_t values) : rows_(values) {}
  void use(size_t value, int32_t step) {
    Row& row = rows_[value];
    if (row.first < 0) row.first = step;
    row.last = step;
  }
  void keep(size_t value) { rows_[value].kept = true; }  // to the end
  bool used(size_t value) const { return rows_[value].first >= 0; }
  bool kept(size_t value) const { return rows_[value].kept; }
  Step first(size_t value) const { return Step(rows_[value].first); }
  // Half-open; `steps`: how many there were in all.
  Step last(size_t value, int32_t steps) const { return Step(rows_[value].kept ? steps : rows_[value].last + 1); }

 private:
  struct Row {
    int32_t first = -1, last = -1;
    bool kept = false;
  };
  std::vector<Row> rows_;
};

// Whether a node could compute its result in that source's bytes, as far as op, type and layout go: the first one's, or
// the second one's where the operands may be exchanged.
bool fits_in_place(const TensorImpl& node, size_t source);

// Lifetimes one step after the other, in the order in which the nodes were collected: each ends as soon as the graph's
// use counts, without those who only wait, say that nobody is left. For who plans while walking the graph; the same as find_lifetimes() finds.
class LifetimeStream {
 public:
  LifetimeStream(const Graph& graph, bool keep_outputs);

  // Takes the node `i`, which must be the next one. If it has bytes of its own, `begin(node, placement)` is called and
  // returns a number, which `end(number)` is called with after the last step that needs them; never for outputs.
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
    if (state.owner == static_cast<int32_t>(i) && state.uses == 0) end(state.number);  // nobody reads it
  }

 private:
  struct State {
    int32_t owner = -1;   // the node whose bytes it is made of, or none
    int32_t uses = 0;     // of the owner: steps that still need it
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
  std::vector<int32_t> waits_;  // by node: how many only wait for it; empty where nobody does
};

}  // namespace arenascope
