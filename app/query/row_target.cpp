// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/row_target.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include <arenascope/trace/difference.h>

namespace arenascope::query {
namespace {

using trace::GraphId;
using trace::TensorRef;

class TargetFinder {
 public:
  TargetFinder(const trace::Snapshot& snapshot, const Rows& rows, GraphId graph)
      : s_(snapshot), rows_(rows), graph_(graph) {}

  bool identifies(Reference reference) const {
    return std::ranges::find(rows_.references, reference) != rows_.references.end();
  }

  Target target_of(const std::vector<Value>& row) {
    if (const auto id = number(row, Reference::Span))
      if (const auto span = span_of_row(s_, *id)) return *span;
    if (const auto id = number(row, Reference::Allocation))
      if (allocation_of_row(s_, *id) != nullptr) return AllocationTarget{*id};
    const trace::GraphInfo* graph = s_.graph(graph_of(row));
    if (graph == nullptr) return {};
    if (const auto id = number(row, Reference::Node); id && *id < graph->nodes.size())
      return TensorTarget{graph->id, TensorRef::node(NodeId(static_cast<int32_t>(*id)))};
    if (const auto id = number(row, Reference::Leaf); id && *id < graph->leafs.size())
      return TensorTarget{graph->id, TensorRef::leaf(LeafId(static_cast<int32_t>(*id)))};
    return by_name(*graph, row);
  }

 private:
  using Names = std::unordered_map<std::string, TensorRef>;

  const Value* value(const std::vector<Value>& row, Reference reference) const {
    const auto found = std::ranges::find(rows_.references, reference);
    return found == rows_.references.end() ? nullptr : &row[static_cast<size_t>(found - rows_.references.begin())];
  }
  std::optional<size_t> number(const std::vector<Value>& row, Reference reference) const {
    const Value* found = value(row, reference);
    const auto* integer = found == nullptr ? nullptr : std::get_if<int64_t>(found);
    return integer == nullptr || *integer < 0 ? std::nullopt : std::optional(static_cast<size_t>(*integer));
  }

  GraphId graph_of(const std::vector<Value>& row) const {
    if (const auto id = number(row, Reference::Graph)) return GraphId(static_cast<int32_t>(*id));
    if (const auto id = number(row, Reference::Run))
      if (const trace::Run* run = s_.run(trace::RunId(static_cast<int32_t>(*id)))) return run->info.graph;
    if (const auto id = number(row, Reference::Plan); id && *id < s_.plans.size()) return s_.plans[*id]->graph;
    return graph_;
  }

  Target by_name(const trace::GraphInfo& graph, const std::vector<Value>& row) {
    const Value* found = value(row, Reference::Tensor);
    const auto* name = found == nullptr ? nullptr : std::get_if<std::string>(found);
    if (name == nullptr) return {};
    const Names& names = names_of(graph);
    const auto tensor = names.find(*name);
    if (tensor == names.end()) return {};
    return TensorTarget{graph.id, tensor->second};
  }

  // The first tensor of each name.
  const Names& names_of(const trace::GraphInfo& graph) {
    const auto [it, is_new] = names_.try_emplace(graph.id.value);
    Names& names = it->second;
    if (!is_new) return names;
    const auto add = [&](TensorRef ref, const std::string& name) {
      names.try_emplace(name, ref);
      names.try_emplace(trace::display_name(graph, ref), ref);
    };
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      add(TensorRef::node(NodeId(static_cast<int32_t>(i))), graph.nodes[i].name);
    for (size_t i = 0; i < graph.leafs.size(); ++i)
      add(TensorRef::leaf(LeafId(static_cast<int32_t>(i))), graph.leafs[i].name);
    return names;
  }

  const trace::Snapshot& s_;
  const Rows& rows_;
  GraphId graph_;
  std::map<int32_t, Names> names_;
};

}  // namespace

std::vector<Target> targets_of(const trace::Snapshot& snapshot, const Rows& rows, GraphId graph) {
  TargetFinder finder(snapshot, rows, graph);
  constexpr Reference kItems[] = {Reference::Span, Reference::Allocation, Reference::Node, Reference::Leaf,
                                  Reference::Tensor};
  if (std::ranges::none_of(kItems, [&](Reference r) { return finder.identifies(r); })) return {};
  std::vector<Target> out;
  out.reserve(rows.rows.size());
  for (const auto& row : rows.rows) out.push_back(finder.target_of(row));
  return out;
}

}  // namespace arenascope::query
