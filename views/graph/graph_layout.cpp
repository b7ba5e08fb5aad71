// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_layout.h"

namespace arenascope::views {

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string dot_file(const trace::GraphInfo& info, const Layers& layers, const FoldedGraph& graph) {
  std::string out = "digraph " + dot_quoted(info.model) + " {\n  node [shape=box fontname=\"sans-serif\"];\n";
  for (size_t v = 0; v < graph.vertices.size(); ++v) {
    const Vertex& vertex = graph.vertices[v];
    std::string label;
    if (vertex.folded) {
      label = layers.names[static_cast<size_t>(vertex.layer)] + " (" + std::to_string(vertex.nodes.size()) + ")";
    } else {
      const trace::TensorInfo& node = info.nodes[vertex.node.index()];
      label = node.op + " " + node.name + " " + shape_text(node.shape);
    }
    out += "  " + std::to_string(v) + " [label=" + dot_quoted(label) + "];\n";
  }
  for (const FoldedEdge& edge : graph.edges) {
    out += "  " + std::to_string(edge.from) + " -> " + std::to_string(edge.to);
    if (!edge.views.empty()) {
      std::string label;
      for (NodeId view : edge.views) label += (label.empty() ? "" : " ") + info.nodes[view.index()].op;
      out += " [label=" + dot_quoted(label) + "]";
    }
    out += ";\n";
  }
  return out + "}\n";
}

}  // namespace arenascope::views
