// SPDX-License-Identifier: MIT
#include <arenascope/graph/lifetime.h>

#include <algorithm>
#include <limits>

#include <arenascope/graph/op_params.h>
#include <arenascope/graph/pool_windows.h>
#include <arenascope/memory/huge_pages.h>
#include "engine/graph/concat_aliasing.h"

namespace arenascope {
namespace {

// True if the node reads an input's bytes through another operand as well.
bool reads_twice(const Graph& graph, const TensorImpl& node, size_t source, std::span<const Lifetime> rows) {
  const NodeId own = graph.find_node(*node.sources[source]);
  for (size_t s = 0; s < node.sources.size(); ++s)
    if (const NodeId from = graph.find_node(*node.sources[s]);
        s != source && from.valid() && rows[from.index()].owner == own)
      return true;
  return false;
}

bool may_exchange_operands(Op op) {
  switch (op) {
    case Op::Add:
    case Op::Mul:
    case Op::Min:
    case Op::Max:
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor: return true;
    default: return false;
  }
}

// `rows` of owners only. An output is never overwritten in place, even if it is not kept.
void find_in_place(const Graph& graph, std::span<Lifetime> rows, std::span<const uint8_t> outputs) {
  std::vector<uint8_t> shared(rows.size(), 0);
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].owner == NodeId(i) && rows[i].part_of.valid()) shared[i] = shared[rows[i].part_of.index()] = 1;
  const auto source_of = [&](size_t i, size_t s) {  // none: it cannot be overwritten in place
    const TensorImpl& node = graph.node(NodeId(i));
    if (s >= node.sources.size() || node.sources[s]->is_view() || !fits_in_place(node, s)) return NodeId::none();
    const NodeId from = graph.find_node(*node.sources[s]);
    if (!from.valid() || outputs[from.index()] || shared[from.index()]) return NodeId::none();
    const Lifetime& source = rows[from.index()];
    const bool ends = source.owner == from && source.in_arena() && source.last.value == rows[i].first.value + 1;
    return ends && !reads_twice(graph, node, s, rows) ? from : NodeId::none();
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].owner != NodeId(i) || !rows[i].in_arena()) continue;
    rows[i].in_place_of = source_of(i, 0);
    if (!rows[i].in_place_of.valid()) rows[i].in_place_of = source_of(i, 1);
  }
}

}  // namespace

const char* name(Placement placement) {
  switch (placement) {
    case Placement::Arena: return "arena";
    case Placement::Host: return "host";
    case Placement::Packed: return "packed";
    case Placement::Given: return "given";
  }
  return "?";
}

std::span<TensorImpl* const> sources_read(const TensorImpl& node) {
  const std::span<TensorImpl* const> all = node.sources;
  if (node.op == Op::SetRows) return all.first(node.params.get<SetRowsParams>().rows ? 3 : 2);
  if (node.op == Op::OptimizerStep)
    return all.first(4 + static_cast<size_t>(node.params.get<OptimizerStepParams>().states));
  return all;
}

bool fits_in_place(const TensorImpl& node, size_t at) {
  const bool alone = at == 0 ? info(node.op).is_pointwise() || (node.op == Op::MaxPoolBack && windows_are_apart(node))
                             : at == 1 && may_exchange_operands(node.op);
  if (!alone) return false;
  const TensorImpl& source = *node.sources[at];
  return source.dtype == node.dtype && source.sizes == node.sizes && source.strides == node.strides;
}

std::vector<Lifetime> find_owners(const Graph& graph, bool keep_outputs) {
  const auto nodes = graph.nodes();
  std::vector<Lifetime> rows(nodes.size());
  const auto given = [&](Lifetime& row, const TensorImpl& tensor) {
    row.placement = Placement::Given;
    row.bytes = tensor.byte_count();
    row.first = Step(0);
    row.last = Step(nodes.size());
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    const TensorImpl& node = *nodes[i];
    Lifetime& row = rows[i];
    if (node.is_view()) {
      if (const NodeId from = graph.find_node(*node.view_source); from.valid())
        row = rows[from.index()];
      else
        given(row, *node.view_source);
    } else if (node.op == Op::None) {
      given(row, node);
    } else {
      row.owner = NodeId(i);
      row.bytes = node.byte_count();
      row.placement = placement_of(node);
    }
    if (keep_outputs && row.owner.valid() && node.has(kFlagOutput)) row.kept = rows[row.owner.index()].kept = true;
  }
  for (Lifetime& row : rows)
    if (row.owner.valid()) row.kept = rows[row.owner.index()].kept;
  return rows;
}

std::vector<Lifetime> find_lifetimes(const Graph& graph, std::span<const NodeId> order,
                                     const LifetimeOptions& options) {
  const auto steps = static_cast<int32_t>(order.size());
  std::vector<Lifetime> rows = find_owners(graph, options.keep_outputs);
  LiveRangeTable uses(rows.size());
  for_each_use(graph, order, rows, [&](NodeId owner, Step step) { uses.use(owner.index(), step.value); });
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].owner != NodeId(i)) continue;
    if (rows[i].kept) uses.keep(i);
    rows[i].first = uses.first(i);
    rows[i].last = uses.last(i, steps);
  }
  if (options.join) find_joins(graph, order, options.alignment, rows);
  if (options.in_place) {
    std::vector<uint8_t> outputs(rows.size(), 0);
    for (size_t i = 0; i < rows.size(); ++i)
      if (rows[i].owner.valid() && graph.node(NodeId(i)).has(kFlagOutput)) outputs[rows[i].owner.index()] = 1;
    find_in_place(graph, rows, outputs);
  }
  for (Lifetime& row : rows)
    if (row.owner.valid()) row = rows[row.owner.index()];
  return rows;
}

Bytes peak_live_bytes(std::span<const Lifetime> lifetimes, size_t steps) {
  std::vector<int32_t> begins(steps, -1);  // the lifetime that begins in a step; at most one
  for (size_t i = 0; i < lifetimes.size(); ++i)
    if (lifetimes[i].owner == NodeId(i) && lifetimes[i].in_arena())
      begins[lifetimes[i].first.index()] = static_cast<int32_t>(i);
  std::vector<Bytes> ends(steps + 1, 0);  // bytes that end at each step; no sum exceeds `live`
  Bytes live = 0, most = 0;
  for (size_t step = 0; step < steps; ++step) {
    live -= ends[step];
    if (begins[step] < 0) continue;
    const Lifetime& life = lifetimes[static_cast<size_t>(begins[step])];
    if (__builtin_add_overflow(live, life.bytes, &live)) return std::numeric_limits<Bytes>::max();
    ends[life.last.index()] += life.bytes;
    most = std::max(most, live);
  }
  return most;
}

LifetimeStream::LifetimeStream(const Graph& graph, bool keep_outputs)
    : graph_(graph), nodes_(graph.nodes()), keep_outputs_(keep_outputs) {
  states_.reserve(nodes_.size());
  ask_for_huge_pages(states_.data(), nodes_.size() * sizeof(State));
  for (const TensorImpl* node : nodes_)
    for (TensorImpl* const source : std::span<TensorImpl* const>(node->sources).subspan(sources_read(*node).size()))
      if (const NodeId from = graph_.find_node(*source); from.valid()) {
        waits_.resize(nodes_.size(), 0);
        ++waits_[from.index()];
      }
}

}  // namespace arenascope
