// SPDX-License-Identifier: MIT
#include <arenascope/graph/lifetime.h>

#include <algorithm>
#include <limits>

#include <arenascope/graph/pool_windows.h>
#include <arenascope/memory/huge_pages.h>
#include "engine/graph/joins.h"

namespace arenascope {
namespace {

// Whether the node reads its first source's bytes through another operand too.
bool reads_twice(const Graph& graph, const TensorImpl& node, NodeId first, std::span<const Lifetime> rows) {
  for (size_t s = 1; s < node.sources.size(); ++s)
    if (const NodeId from = graph.find_node(*node.sources[s]); from.valid() && rows[from.index()].owner == first)
      return true;
  return false;
}

// Rows of owners only. An output is never taken over, whether or not it is kept.
void find_in_place(const Graph& graph, std::span<Lifetime> rows, std::span<const uint8_t> outputs) {
  std::vector<uint8_t> shared(rows.size(), 0);
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].owner == NodeId(i) && rows[i].part_of.valid()) shared[i] = shared[rows[i].part_of.index()] = 1;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].owner != NodeId(i) || !rows[i].in_arena()) continue;
    const TensorImpl& node = graph.node(NodeId(i));
    if (node.sources.empty() || node.sources[0]->is_view() || !fits_in_place(node, *node.sources[0])) continue;
    const NodeId from = graph.find_node(*node.sources[0]);
    if (!from.valid() || outputs[from.index()] || shared[from.index()]) continue;
    const Lifetime& source = rows[from.index()];
    if (source.owner != from || !source.in_arena() || source.last.value != rows[i].first.value + 1) continue;
    if (!reads_twice(graph, node, from, rows)) rows[i].in_place_of = from;
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

bool fits_in_place(const TensorImpl& node, const TensorImpl& source) {
  const bool alone = info(node.op).is_pointwise() || (node.op == Op::MaxPoolBack && windows_are_apart(node));
  return alone && source.dtype == node.dtype && source.sizes == node.sizes && source.strides == node.strides;
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
  LastUses uses(rows.size());
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

Bytes most_live(std::span<const Lifetime> lifetimes, size_t steps) {
  std::vector<int32_t> begins(steps, -1);  // the row that begins in a step; at most one
  for (size_t i = 0; i < lifetimes.size(); ++i)
    if (lifetimes[i].owner == NodeId(i) && lifetimes[i].in_arena())
      begins[lifetimes[i].first.index()] = static_cast<int32_t>(i);
  std::vector<Bytes> ends(steps + 1, 0);  // of what has begun, so no sum is larger than `live`
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
}

}  // namespace arenascope
