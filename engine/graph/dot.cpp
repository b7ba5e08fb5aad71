// SPDX-License-Identifier: MIT
#include <arenascope/base/printable.h>
#include <arenascope/graph/dot.h>

#include <iterator>

#include <fmt/format.h>

namespace arenascope {
namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\\')
      out += '\\', out += c, ++at;
    else if (c == '\n')
      out += "\\n", ++at;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      out += ' ', ++at;
    else if (const size_t length = utf8_length(text, at))
      out.append(text.substr(at, length)), at += length;
    else
      out += '?', ++at;
  }
}

void append_shape(std::string& out, const TensorImpl& tensor) {
  fmt::format_to(std::back_inserter(out), "{} [", name(tensor.dtype));
  for (int i = 0; i < tensor.rank(); ++i)
    fmt::format_to(std::back_inserter(out), "{}{}", i ? ", " : "", tensor.sizes[i]);
  out += ']';
}

}  // namespace

std::string dot_escape(std::string_view text) {
  std::string out;
  append_escaped(out, text);
  return out;
}

std::string to_dot(const Graph& graph) {
  const auto nodes = graph.nodes(), leafs = graph.leafs();
  std::string out;
  out.reserve(160 * (nodes.size() + leafs.size()) + 200);
  out += "digraph arenascope {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n";
  const auto box = [&out](char kind, size_t id, const TensorImpl& tensor, std::string_view style) {
    fmt::format_to(std::back_inserter(out), "  {}{} [label=\"", kind, id);
    if (tensor.op != Op::None) out.append(name(tensor.op)).append("\\n");
    if (!tensor.name.empty()) append_escaped(out, tensor.name), out += "\\n";
    append_shape(out, tensor);
    out.append("\"").append(style).append("];\n");
  };
  for (size_t i = 0; i < leafs.size(); ++i)
    box('l', i, *leafs[i], leafs[i]->has(kFlagInput) ? ", shape=ellipse, style=bold" : ", shape=ellipse");
  for (size_t i = 0; i < nodes.size(); ++i)
    box('n', i, *nodes[i], nodes[i]->has(kFlagOutput) ? ", style=bold" : nodes[i]->is_view() ? ", style=dashed" : "");
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const TensorImpl* source : nodes[i]->sources) {
      const NodeId node = graph.find_node(*source);
      const int32_t id = node.valid() ? node.value : graph.find_leaf(*source).value;
      fmt::format_to(std::back_inserter(out), "  {}{} -> n{};\n", node.valid() ? 'n' : 'l', id, i);
    }
  }
  out += "}\n";
  return out;
}

}  // namespace arenascope
