// SPDX-License-Identifier: MIT
// Writes a graph in Graphviz' DOT language, with the labels of ggml's ggml_graph_dump_dot() and layers as clusters.
#include <arenascope/base/dot_escape.h>
#include <arenascope/base/layer_name.h>
#include <arenascope/trace/convert.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace arenascope::trace {

namespace {

constexpr int kMaxClusterDepth = 20;  // deeper layers are not nested further

std::string dot_field(std::string_view text) { return dot_escape(text, kDotRecordSymbols); }

// Innermost dimension first.
std::string dot_shape(const TensorInfo& tensor) {
  std::string out = "[";
  for (size_t i = tensor.shape.size(); i-- > 0;)
    out += fmt::format("{}{}", out.size() > 1 ? ", " : "", tensor.shape[i]);
  return out + "]";
}

std::string dot_id(TensorRef ref) { return fmt::format("{}{}", ref.is_leaf() ? 'l' : 'n', ref.index()); }

// A cluster per layer, with its nodes and the layers in it.
struct DotCluster {
  std::map<std::string, DotCluster> inner;
  std::vector<size_t> nodes;
};

DotCluster& cluster_of(std::string_view layer, DotCluster& root) {
  DotCluster* cluster = &root;
  for (int depth = 1; !layer.empty(); ++depth) {
    const size_t end = depth < kMaxClusterDepth ? layer.find(kWithinLayer) : std::string_view::npos;
    cluster = &cluster->inner[std::string(layer.substr(0, end))];
    layer.remove_prefix(end == std::string_view::npos ? layer.size() : end + kWithinLayer.size());
  }
  return *cluster;
}

// Calls itself at most kMaxClusterDepth times. `number` distinguishes the clusters.
void put_clusters(const DotCluster& cluster, const std::string& indent, size_t& number, TextOut& out) {
  for (const size_t node : cluster.nodes) out.put(fmt::format("{}n{};\n", indent, node));
  for (const auto& [name, inner] : cluster.inner) {
    out.put(fmt::format("{0}subgraph cluster_{1} {{\n{0}  label=\"{2}\";\n", indent, number++, dot_escape(name)));
    put_clusters(inner, indent + "  ", number, out);
    out.put(indent + "}\n");
  }
}

void put_dot_nodes(const GraphInfo& graph, TextOut& out) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const TensorInfo& node = graph.nodes[i];
    out.put(fmt::format("  n{} [label=\"{} ({})|{} {}|{}\"];\n", i, dot_field(node.name), dot_field(node.dtype), i,
                        dot_shape(node), dot_field(node.op)));
  }
  for (size_t i = 0; i < graph.leafs.size(); ++i) {
    const TensorInfo& leaf = graph.leafs[i];
    out.put(fmt::format("  l{} [style=filled; label=\"{} ({})|CONST {} {}\"];\n", i, dot_field(leaf.name),
                        dot_field(leaf.dtype), i, dot_shape(leaf)));
  }
}

}  // namespace

void to_dot(const GraphInfo& graph, TextOut& out) {
  const std::string name = graph.model.empty() ? "G" : dot_escape(graph.model);
  out.put(fmt::format("digraph \"{}\" {{\n  node [shape=record];\n", name));
  put_dot_nodes(graph, out);
  DotCluster root;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (!graph.nodes[i].layer.empty()) cluster_of(graph.nodes[i].layer, root).nodes.push_back(i);
  size_t number = 0;
  put_clusters(root, "  ", number, out);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (const TensorRef source : graph.nodes[i].sources)
      if (source.valid()) out.put(fmt::format("  {} -> n{};\n", dot_id(source), i));
  out.put("}\n");
}

void to_dot(const Snapshot& snapshot, TextOut& out) {
  const GraphInfo* shown = nullptr;
  for (const auto& graph : snapshot.graphs)
    if (graph && !graph->nodes.empty() && (shown == nullptr || shown->of_file || !graph->of_file)) shown = graph.get();
  if (shown == nullptr) return out.put("digraph G {\n}\n");
  to_dot(*shown, out);
}

}  // namespace arenascope::trace
