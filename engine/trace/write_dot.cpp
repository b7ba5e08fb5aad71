// SPDX-License-Identifier: MIT
// Writes a graph in Graphviz' DOT language, with the labels of ggml's ggml_graph_dump_dot() and layers as clusters.
#include <arenascope/base/layer_name.h>
#include <arenascope/trace/convert.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace arenascope::trace {

namespace {

// For a field of a record label.
std::string dot_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::string_view("\\\"|{}<> ").find(c) != std::string_view::npos)
      out += c == ' ' ? " " : std::string{'\\', c};
    else
      out += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return out;
}

std::string quoted_for_dot(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out + '"';
}

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
  std::map<std::string, DotCluster> inside;
  std::vector<size_t> nodes;

  DotCluster& at(std::string_view layer) {
    if (layer.empty()) return *this;
    return at(layer_around(layer)).inside[std::string(layer_itself(layer))];
  }
  void put(TextOut& out, const std::string& indent, size_t& number) const {
    for (const size_t node : nodes) out.put(fmt::format("{}n{};\n", indent, node));
    for (const auto& [name, cluster] : inside) {
      out.put(fmt::format("{}subgraph cluster_{} {{\n{}  label={};\n", indent, number++, indent, quoted_for_dot(name)));
      cluster.put(out, indent + "  ", number);
      out.put(indent + "}\n");
    }
  }
};

void put_dot_nodes(const GraphInfo& graph, TextOut& out) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const TensorInfo& node = graph.nodes[i];
    out.put(fmt::format("  n{} [label=\"{} ({})|{} {}|{}\"];\n", i, dot_escaped(node.name), dot_escaped(node.dtype), i,
                        dot_shape(node), dot_escaped(node.op)));
  }
  for (size_t i = 0; i < graph.leafs.size(); ++i) {
    const TensorInfo& leaf = graph.leafs[i];
    out.put(fmt::format("  l{} [style=filled; label=\"{} ({})|CONST {} {}\"];\n", i, dot_escaped(leaf.name),
                        dot_escaped(leaf.dtype), i, dot_shape(leaf)));
  }
}

}  // namespace

void to_dot(const GraphInfo& graph, TextOut& out) {
  out.put(
      fmt::format("digraph {} {{\n  node [shape=record];\n", quoted_for_dot(graph.model.empty() ? "G" : graph.model)));
  put_dot_nodes(graph, out);
  DotCluster all;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (!graph.nodes[i].layer.empty()) all.at(graph.nodes[i].layer).nodes.push_back(i);
  size_t number = 0;
  all.put(out, "  ", number);
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
