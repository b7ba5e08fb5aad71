// SPDX-License-Identifier: GPL-3.0-or-later
#include "folded_graph.h"

#include <arenascope/base/layer_name.h>
#include <arenascope/trace/bind_event.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace arenascope::views {
namespace {

using trace::GraphInfo;
using trace::TensorInfo;
using trace::TensorRef;

const TensorInfo* node_of(const GraphInfo& graph, TensorRef ref) {
  return ref.is_node() && ref.index() < graph.nodes.size() ? &graph.nodes[ref.index()] : nullptr;
}

// The origin of an input when views are skipped: the tensor that was computed or given, and the views on the path from
// it.
struct Origin {
  TensorRef ref;
  std::vector<NodeId> views;
};

Origin origin_of(const GraphInfo& graph, TensorRef ref, const std::vector<bool>& badge) {
  Origin origin{ref, {}};
  // Guards against cycles in a damaged file: a chain is never longer than the number of nodes.
  for (size_t guard = 0; guard <= graph.nodes.size(); ++guard) {
    const TensorInfo* node = node_of(graph, origin.ref);
    if (node == nullptr || !badge[origin.ref.index()] || node->sources.empty()) break;
    origin.views.push_back(NodeId(origin.ref.index()));
    origin.ref = node->sources.front();
  }
  std::reverse(origin.views.begin(), origin.views.end());
  return origin;
}

// Views with users are badges; a view at the end of the graph (an output) is drawn as a node, or it would not be
// visible.
std::vector<bool> badges(const GraphInfo& graph) {
  std::vector<bool> read(graph.nodes.size(), false), badge(graph.nodes.size(), false);
  for (const TensorInfo& node : graph.nodes)
    for (TensorRef source : node.sources)
      if (node_of(graph, source) != nullptr) read[source.index()] = true;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    badge[i] = read[i] && is_view_node(graph.nodes[i]) && !graph.nodes[i].sources.empty() &&
               (graph.nodes[i].flags & trace::kOutput) == 0;
  return badge;
}

}  // namespace

// An op that writes into its input shares its bytes, but computes.
bool is_view_node(const TensorInfo& node) {
  return (node.flags & (trace::kView | trace::kWritesSource)) == trace::kView;
}

namespace {

using LayersByName = std::unordered_map<std::string_view, int32_t>;

// limit for the nesting depth of names in a file; deeper layers are not nested further
constexpr int kDeepest = 20;

int32_t find_layer(Layers& layers, LayersByName& by_name, std::string_view name, int depth = 0) {
  if (const auto found = by_name.find(name); found != by_name.end()) return found->second;
  const std::string_view around = depth < kDeepest ? layer_around(name) : std::string_view();
  const int32_t parent = around.empty() ? -1 : find_layer(layers, by_name, around, depth + 1);
  const auto layer = static_cast<int32_t>(layers.names.size());
  layers.names.emplace_back(name);
  layers.nodes.emplace_back();
  layers.parents.push_back(parent);
  by_name.emplace(name, layer);
  return layer;
}

}  // namespace

int32_t closed_layer(const Layers& layers, const std::set<int32_t>& expanded, int32_t innermost) {
  int32_t closed = -1;
  for (int32_t l = innermost; l >= 0; l = layers.parents[static_cast<size_t>(l)])
    if (!expanded.contains(l)) closed = l;
  return closed;
}

namespace {

// Runs of consecutive nodes.
void derive_runs(const GraphInfo& graph, size_t run_length, Layers& layers) {
  layers.derived = true;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (i % run_length == 0) {
      const size_t last = std::min(i + run_length, graph.nodes.size()) - 1;
      layers.names.push_back(std::to_string(i) + "–" + std::to_string(last));
      layers.nodes.emplace_back();
      layers.parents.push_back(-1);
    }
    layers.of_node[i] = static_cast<int32_t>(layers.names.size()) - 1;
    layers.nodes.back().push_back(NodeId(i));
  }
}

const std::string& name_in_file(const TensorInfo& node) {
  for (const trace::FileNodeInfo& file_node : node.file_nodes)
    if (!file_node.name.empty()) return file_node.name;
  return node.name;
}

// Many nodes of one op with the same inputs and the same users are drawn as one: side by side they would make a row
// that no screen can show.
void group_siblings(const GraphInfo& graph, Layers& layers) {
  constexpr size_t kFewest = 12;
  if (graph.nodes.size() < kFewest) return;
  std::vector<std::vector<uint32_t>> users(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (TensorRef source : graph.nodes[i].sources)
      if (node_of(graph, source) != nullptr) users[source.index()].push_back(static_cast<uint32_t>(i));
  using Alike = std::tuple<std::string_view, std::vector<TensorRef>, std::vector<uint32_t>>;
  std::map<Alike, std::vector<NodeId>> groups;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (layers.of_node[i] < 0 && !graph.nodes[i].sources.empty() && !users[i].empty())
      groups[{graph.nodes[i].op, graph.nodes[i].sources, users[i]}].push_back(NodeId(i));
  for (auto& [alike, nodes] : groups) {
    if (nodes.size() < kFewest) continue;
    const auto layer = static_cast<int32_t>(layers.names.size());
    layers.names.push_back(name_in_file(graph.nodes[nodes.front().index()]) + " … " +
                           name_in_file(graph.nodes[nodes.back().index()]));
    layers.parents.push_back(-1);
    for (NodeId node : nodes) layers.of_node[node.index()] = layer;
    layers.nodes.push_back(std::move(nodes));
  }
}

}  // namespace

Layers layers_of(const GraphInfo& graph, size_t derive_above, size_t run_length) {
  Layers layers;
  layers.of_node.assign(graph.nodes.size(), -1);
  LayersByName by_name;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].layer.empty()) continue;
    layers.of_node[i] = find_layer(layers, by_name, graph.nodes[i].layer);
    for (int32_t l = layers.of_node[i]; l >= 0; l = layers.parents[static_cast<size_t>(l)])
      layers.nodes[static_cast<size_t>(l)].push_back(NodeId(i));
  }
  if (layers.names.empty() && graph.nodes.size() > derive_above && run_length > 0)
    derive_runs(graph, run_length, layers);
  else
    group_siblings(graph, layers);
  return layers;
}

FoldedGraph fold(const GraphInfo& graph, const Layers& layers, const std::set<int32_t>& expanded) {
  FoldedGraph folded;
  folded.vertex_of_node.assign(graph.nodes.size(), -1);
  folded.parents = layers.parents;
  const std::vector<bool> badge = badges(graph);
  std::vector<int32_t> vertex_of_layer(layers.names.size(), -1);

  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (badge[i]) continue;
    const int32_t layer = i < layers.of_node.size() ? layers.of_node[i] : -1;
    if (const int32_t closed = closed_layer(layers, expanded, layer); closed >= 0) {
      int32_t& vertex = vertex_of_layer[static_cast<size_t>(closed)];
      if (vertex < 0) {
        vertex = static_cast<int32_t>(folded.vertices.size());
        folded.vertices.push_back({.layer = closed, .folded = true, .node = NodeId::none()});
      }
      folded.vertices[static_cast<size_t>(vertex)].nodes.push_back(NodeId(i));
      folded.vertex_of_node[i] = vertex;
    } else {
      folded.vertex_of_node[i] = static_cast<int32_t>(folded.vertices.size());
      folded.vertices.push_back({.layer = layer, .folded = false, .node = NodeId(i), .nodes = {NodeId(i)}});
    }
  }

  std::vector<std::set<uint32_t>> leafs(folded.vertices.size());
  std::map<std::pair<int32_t, int32_t>, size_t> edge_of;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const int32_t to = folded.vertex_of_node[i];
    if (to < 0) continue;
    Vertex& vertex = folded.vertices[static_cast<size_t>(to)];
    for (TensorRef source : graph.nodes[i].sources) {
      const Origin origin = origin_of(graph, source, badge);
      if (origin.ref.is_leaf() && origin.ref.index() < graph.leafs.size()) {
        leafs[static_cast<size_t>(to)].insert(origin.ref.value);
        if (!vertex.folded) vertex.chips.push_back({LeafId(origin.ref.index()), origin.views});
        continue;
      }
      if (node_of(graph, origin.ref) == nullptr) continue;
      const int32_t from = folded.vertex_of_node[origin.ref.index()];
      if (from < 0 || from == to) continue;
      const auto [it, is_new] = edge_of.try_emplace({from, to}, folded.edges.size());
      if (is_new)
        folded.edges.push_back({from, to, NodeId(origin.ref.index()), origin.views, 1});
      else
        ++folded.edges[it->second].count;
    }
  }
  for (size_t v = 0; v < folded.vertices.size(); ++v) folded.vertices[v].leaf_count = leafs[v].size();
  return folded;
}

int32_t vertex_showing(const GraphInfo& graph, const FoldedGraph& folded, NodeId node) {
  for (size_t guard = 0; guard <= graph.nodes.size(); ++guard) {
    if (!node.valid() || node.index() >= folded.vertex_of_node.size()) return -1;
    if (const int32_t vertex = folded.vertex_of_node[node.index()]; vertex >= 0) return vertex;
    const auto& sources = graph.nodes[node.index()].sources;
    if (sources.empty() || !sources.front().is_node()) return -1;
    node = NodeId(sources.front().index());
  }
  return -1;
}

std::vector<NodeId> producers(const GraphInfo& graph, NodeId node) {
  std::vector<NodeId> result;
  if (!node.valid() || node.index() >= graph.nodes.size()) return result;
  const std::vector<bool> badge = badges(graph);
  for (TensorRef source : graph.nodes[node.index()].sources) {
    const TensorRef ref = origin_of(graph, source, badge).ref;
    if (node_of(graph, ref) == nullptr) continue;
    const NodeId id(ref.index());
    if (std::find(result.begin(), result.end(), id) == result.end()) result.push_back(id);
  }
  return result;
}

std::vector<NodeId> users(const GraphInfo& graph, NodeId node) {
  std::vector<NodeId> result;
  if (!node.valid() || node.index() >= graph.nodes.size()) return result;
  const std::vector<bool> badge = badges(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (badge[i]) continue;
    for (TensorRef source : graph.nodes[i].sources) {
      if (source == TensorRef::node(node) || origin_of(graph, source, badge).ref == TensorRef::node(node)) {
        result.push_back(NodeId(i));
        break;
      }
    }
  }
  return result;
}

std::string shape_text(std::span<const int64_t> shape) {
  if (shape.empty()) return "scalar";
  std::string text;
  for (int64_t size : shape) {
    if (!text.empty()) text += "×";
    text += size < 0 ? "?" : std::to_string(size);
  }
  return text;
}

}  // namespace arenascope::views
