// SPDX-License-Identifier: MIT
// Graphs in which tensors share bytes in every way that there is, and liveness worked out slowly: for each tensor and
// each step by looking at all steps. It follows views through their sources, as the kernels do.
#pragma once
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <arenascope/graph/builder.h>
#include <arenascope/graph/lifetime.h>
#include <arenascope/graph/op_params.h>

namespace arenascope::test {

// Views of views, pointwise ops, concatenations along both axes, what is written into another's bytes and waits for
// others, parameters, outputs, and with `aside` results that lie
// on the host or packed.
inline Graph random_sharing_graph(std::mt19937& random, int ops, bool aside) {
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const auto n = static_cast<size_t>(ops);
  GraphBuilder b(*Context::create(
      {(2 * n + 8) * Context::tensor_overhead(4) + 2 * Context::graph_overhead(2 * n + 8), nullptr, true}));
  Tensor parameter = b.weight("parameter", {2, 16});
  parameter->flags = kFlagParameter;
  std::vector<Tensor> made{b.input("x", {2, 16}), b.weight("w", {1, 16}), parameter};
  const auto pick = [&] { return made[made.size() > 7 && below(5) ? made.size() - 1 - below(7) : below(made.size())]; };
  for (size_t i = 0; i < n; ++i) {
    const Tensor x = pick();
    const Dims sizes = x.sizes();
    Tensor out;
    switch (below(9)) {
      case 0:
      case 1: out = b.op(Op::Relu, {x}); break;
      case 2: {
        const Tensor y = pick();
        out = b.op(Op::Add, {x, y->sizes == x->sizes && below(4) ? y : x});
        break;
      }
      case 3: out = b.slice(x, 0, 0, std::max<int64_t>(sizes[0] / 2, 1)); break;
      case 4: out = x->contiguous() ? b.reshape(x, {sizes[1], sizes[0]}) : b.transpose(x); break;
      case 5: out = b.cont(b.transpose(x)); break;
      case 6: {
        const int axis = static_cast<int>(below(2));
        std::vector<Tensor> parts{x};
        for (size_t more = below(3); more > 0; --more)
          if (const Tensor y = pick(); y->sizes[1 - axis] == x->sizes[1 - axis]) parts.push_back(y);
        if (parts.back()->sizes[axis] < 256) out = b.concat(parts, axis);
        break;
      }
      case 7: {
        OpParams params;
        params.set(SetRowsParams{0, false});
        if (x->contiguous()) out = b.op(Op::SetRows, {x, b.op(Op::Relu, {x}), pick(), pick()}, params);
        break;
      }
      default: {
        OpParams params;
        params.set(FillParams{{static_cast<int64_t>(1 + below(3)), 16}, DType::F32, 0, 0});
        out = b.op(Op::Opaque, {x, pick()}, params);
      }
    }
    if (!out) continue;
    if (below(10) == 0) b.output(out);
    if (aside && !out->is_view() && below(4) == 0) out->placement = below(2) ? Placement::Host : Placement::Packed;
    made.push_back(out);
  }
  REQUIRE(b.ok());
  Graph graph = *b.context().new_graph(2 * n + 8);
  for (const Tensor& t : made)
    if (!t->is_view() && t->op == Op::None && !t->has(kFlagParameter)) REQUIRE(graph.expand(t).ok());
  for (const Tensor& t : made)
    if (below(2)) REQUIRE(graph.expand(t).ok());
  return graph;
}

class SlowLifetimes {
 public:
  SlowLifetimes(const Graph& graph, std::span<const NodeId> order, bool keep_outputs)
      : graph_(graph), order_(order), keep_outputs_(keep_outputs) {}

  // The node that computes the tensor's bytes; none for given ones.
  NodeId owner(const TensorImpl& tensor) const {
    const TensorImpl* t = &tensor;
    while (t->op != Op::None && (info(t->op).is_view() || t->op == Op::SetRows)) t = t->sources[0];
    return t->op == Op::None ? NodeId::none() : graph_.find_node(*t);
  }
  bool touches(size_t step, NodeId bytes) const {
    const TensorImpl& node = graph_.node(order_[step]);
    bool found = owner(node) == bytes;
    const size_t read = node.op == Op::SetRows ? 2 : node.sources.size();  // it waits for the others
    for (size_t s = 0; s < read; ++s) found = found || owner(*node.sources[s]) == bytes;
    return found;
  }
  bool output(NodeId bytes) const {
    for (size_t i = 0; i < graph_.nodes().size(); ++i)
      if (graph_.nodes()[i]->has(kFlagOutput) && owner(*graph_.nodes()[i]) == bytes) return true;
    return false;
  }
  bool needed(NodeId bytes, size_t step) const {
    bool made = false, used_later = keep_outputs_ && output(bytes);
    for (size_t before = 0; before <= step; ++before) made = made || order_[before] == bytes;
    for (size_t later = step; later < order_.size(); ++later) used_later = used_later || touches(later, bytes);
    return made && used_later;
  }
  // True if the node may write its result in place over that input.
  bool may_take_over(NodeId id, size_t source, size_t step) const {
    const TensorImpl& node = graph_.node(id);
    const NodeId from = source < node.sources.size() ? owner(*node.sources[source]) : NodeId::none();
    if (!from.valid() || &graph_.node(from) != node.sources[source] || output(from)) return false;
    for (size_t s = 0; s < node.sources.size(); ++s)
      if (s != source && owner(*node.sources[s]) == from) return false;
    for (size_t later = step + 1; later < order_.size(); ++later)
      if (touches(later, from)) return false;
    return true;
  }
  Bytes peak_live_bytes() const {
    Bytes most = 0;
    for (size_t step = 0; step < order_.size(); ++step) {
      Bytes live = 0;
      for (size_t i = 0; i < graph_.nodes().size(); ++i) {
        const TensorImpl& node = *graph_.nodes()[i];
        if (owner(node) == NodeId(i) && node.placement == Placement::Arena && needed(NodeId(i), step))
          live += node.byte_count();
      }
      most = std::max(most, live);
    }
    return most;
  }

 private:
  const Graph& graph_;
  const std::span<const NodeId> order_;
  const bool keep_outputs_;
};

// Where each element of a joined concatenation is read is where its part's bytes are to lie.
inline void check_join(const Graph& graph, NodeId id, std::span<const Lifetime> lives) {
  const TensorImpl& whole = graph.node(id);
  const int axis = whole.params.get<AxisParams>().axis;
  int64_t before = 0;  // indices of the axis that earlier inputs take
  for (const TensorImpl* source : whole.sources) {
    const Lifetime& part = lives[graph.find_node(*source).index()];
    REQUIRE(part.part_of == id);
    for (int64_t r = 0; r < source->sizes[0]; ++r)
      for (int64_t c = 0; c < source->sizes[1]; ++c) {
        const int64_t row = r + (axis == 0 ? before : 0), column = c + (axis == 1 ? before : 0);
        const int64_t there = row * whole.strides[0] + column * whole.strides[1];
        const int64_t here = r * source->strides[0] + c * source->strides[1];
        REQUIRE(part.part_offset + 4 * (source->offset + here) == 4 * there);
      }
    before += source->sizes[axis];
  }
}

// All of a graph's lifetimes against the slow ones.
inline void check_lifetimes(const Graph& graph, std::span<const NodeId> order, const LifetimeOptions& options) {
  const auto lives = find_lifetimes(graph, order, options);
  const SlowLifetimes slow(graph, order, options.keep_outputs);
  const auto nodes = graph.nodes();
  REQUIRE(lives.size() == nodes.size());
  REQUIRE(peak_live_bytes(lives, order.size()) == slow.peak_live_bytes());
  std::vector<int> parts(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Lifetime& life = lives[i];
    REQUIRE(life.owner == slow.owner(*nodes[i]));
    if (!life.owner.valid()) {
      CHECK(life.placement == Placement::Given);
      continue;
    }
    if (life.owner != NodeId(i)) {  // a view
      REQUIRE(life == lives[life.owner.index()]);
      continue;
    }
    CHECK(life.bytes == nodes[i]->byte_count());
    CHECK(life.kept == (options.keep_outputs && slow.output(NodeId(i))));
    for (size_t step = 0; step < order.size(); ++step)
      REQUIRE((life.first.index() <= step && step < life.last.index()) == slow.needed(NodeId(i), step));
    if (life.part_of.valid()) ++parts[life.part_of.index()];
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Lifetime& life = lives[i];
    if (life.owner != NodeId(i)) continue;
    if (parts[i] > 0) check_join(graph, NodeId(i), lives);
    NodeId expected;  // the first input, or else the second of operands that may be exchanged
    for (size_t at = 0; at < std::min<size_t>(nodes[i]->sources.size(), 2) && !expected.valid(); ++at) {
      const NodeId from = graph.find_node(*nodes[i]->sources[at]);
      const bool joined = from.valid() && (parts[from.index()] > 0 || lives[from.index()].part_of.valid());
      if (options.in_place && !joined && from.valid() && fits_in_place(*nodes[i], at) && life.in_arena() &&
          lives[from.index()].in_arena() && slow.may_take_over(NodeId(i), at, life.first.index()))
        expected = from;
    }
    REQUIRE(life.in_place_of == expected);
  }
}

}  // namespace arenascope::test
