// SPDX-License-Identifier: MIT
#include <arenascope/base/dot_escape.h>
#include <arenascope/graph/dot.h>

#include <iterator>

#include <fmt/format.h>

namespace arenascope {
namespace {

void append_shape(std::string& out, const TensorImpl& tensor) {
  fmt::format_to(std::back_inserter(out), "{} [", name(tensor.dtype));
  for (int i = 0; i < tensor.rank(); ++i)
    fmt::format_to(std::back_inserter(out), "{}{}", i ? ", " : "", tensor.sizes[i]);
  out += ']';
}

}  // namespace

std::string to_dot(const Graph& graph) {
  const auto nodes = graph.nodes(), leafs = graph.leafs();
  std::string out;
  out.reserve(160 * (nodes.size() + leafs.size()) + 200);
  out += "digraph arenascope {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n";
  const auto box = [&out](char kind, size_t id, const TensorImpl& tensor, std::string_view style) {
    fmt::format_to(std::back_inserter(out), "  {}{} [label=\"", kind, id);
    if (tensor.op != Op::None) out.append(name(tensor.op)).append("\\n");
    if (!tensor.name.empty()) out.append(dot_escape(tensor.name)).append("\\n");
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
