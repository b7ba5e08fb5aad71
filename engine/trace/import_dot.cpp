// SPDX-License-Identifier: MIT
// Graphs in Graphviz' DOT language. The labels of ggml's ggml_graph_dump_dot() have a name, type, index, shape and op.
#include <arenascope/base/layer_name.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/unknown_size.h>
#include <fmt/format.h>
#include "engine/trace/dot_parser.h"
#include "engine/trace/left_out.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <queue>

namespace arenascope::trace {

namespace {

constexpr LeftOut::Category kCycleEdge{"edge that closes a cycle", "edges that close a cycle", "left out"};
constexpr LeftOut::Category kConstantEdge{"edge into a constant", "edges into constants", "left out"};
constexpr size_t kMaxLayerBytes = 32 << 20;  // of all nodes

struct DotLabel {
  std::string name, op, details;
  bool leaf = false;
};

// "weight (f16)" into name and type.
void set_name_and_type(const std::string& field, DotLabel& label) {
  const size_t open = field.rfind('(');
  if (open == std::string::npos || field.back() != ')') {
    label.name = field;
    return;
  }
  label.details = field.substr(open + 1, field.size() - open - 2);
  label.name = field.substr(0, open);
  while (!label.name.empty() && label.name.back() == ' ') label.name.pop_back();
}

// "12 [64, 32]" or "CONST 3 [64, 32]": the index and the shape, innermost dimension first.
bool is_ggml_index(const std::string& field) {
  const size_t open = field.find('[');
  if (open == std::string::npos || field.back() != ']') return false;
  std::string_view index = std::string_view(field).substr(0, open);
  if (index.starts_with("CONST ")) index.remove_prefix(6);
  while (!index.empty() && index.back() == ' ') index.remove_suffix(1);
  return !index.empty() && index.find_first_not_of("0123456789") == std::string_view::npos;
}

DotLabel ggml_label(const std::vector<std::string>& fields) {
  DotLabel label;
  set_name_and_type(fields[0], label);
  label.leaf = fields[1].starts_with("CONST ");
  label.details += " " + fields[1].substr(fields[1].find('['));
  if (!label.leaf) label.op = fields.size() > 2 ? fields[2] : std::string();
  return label;
}

DotLabel dot_label(const DotNode& node) {
  std::vector<std::string> fields;
  if (node.label.empty() || node.label == "\\N")
    fields.push_back(node.id);
  else if (node.record || node.label.find('|') != std::string::npos)
    fields = dot_fields(node.label);
  else
    fields.push_back(dot_text(node.label));
  if (fields.size() > 1 && is_ggml_index(fields[1])) return ggml_label(fields);
  // Any other label begins with the op, up to the first blank.
  const std::string text = fmt::format("{}", fmt::join(fields, " "));
  DotLabel label;
  label.op = text.substr(0, text.find(' '));
  if (label.op.size() < text.size()) label.name = text.substr(label.op.size() + 1);
  return label;
}

// An order in which sources come first, otherwise the order of the file. Nodes on a cycle, and what follows from them, come
// last.
std::vector<uint32_t> dot_order(const DotGraph& graph) {
  std::vector<uint32_t> missing_inputs(graph.nodes.size()), order;
  std::vector<std::vector<uint32_t>> users(graph.nodes.size());
  for (const DotEdge& edge : graph.edges) {
    ++missing_inputs[edge.to];
    users[edge.from].push_back(edge.to);
  }
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t i = 0; i < missing_inputs.size(); ++i)
    if (missing_inputs[i] == 0) ready.push(i);
  std::vector<bool> done(missing_inputs.size());
  while (!ready.empty()) {
    const uint32_t next = ready.top();
    ready.pop();
    done[next] = true;
    order.push_back(next);
    for (const uint32_t user : users[next])
      if (--missing_inputs[user] == 0) ready.push(user);
  }
  for (uint32_t i = 0; i < done.size(); ++i)
    if (!done[i]) order.push_back(i);
  return order;
}

std::string dot_layer(const DotGraph& graph, int32_t subgraph) {
  std::vector<std::string_view> titles;
  for (; subgraph >= 0; subgraph = graph.subgraphs[static_cast<size_t>(subgraph)].parent)
    if (const std::string& title = graph.subgraphs[static_cast<size_t>(subgraph)].title; !title.empty())
      titles.push_back(title);
  std::ranges::reverse(titles);
  return fmt::format("{}", fmt::join(titles, kWithinLayer));
}

// The size of all names of layers: each node has one, so that long titles of nested subgraphs need far more memory than the
// file.
size_t layer_bytes(const DotGraph& graph) {
  std::vector<size_t> bytes;  // per subgraph
  for (const DotSubgraph& subgraph : graph.subgraphs) {
    const size_t outer = subgraph.parent < 0 ? 0 : bytes[static_cast<size_t>(subgraph.parent)];
    bytes.push_back(outer + (subgraph.title.empty() ? 0 : subgraph.title.size() + kWithinLayer.size()));
  }
  size_t sum = 0;
  for (const DotNode& node : graph.nodes)
    if (node.subgraph >= 0) sum += bytes[static_cast<size_t>(node.subgraph)];
  return sum;
}

TensorInfo dot_tensor(const DotGraph& graph, const DotNode& node, DotLabel label) {
  TensorInfo info;
  info.name = label.name.empty() ? node.id : std::move(label.name);
  info.op = label.leaf ? std::string() : std::move(label.op);
  info.layer = dot_layer(graph, node.subgraph);
  info.parameters = std::move(label.details);
  info.flags = kUnknownSize;  // a dump of up to three dimensions does not determine the size
  return info;
}

std::shared_ptr<GraphInfo> convert_dot(const DotGraph& dot, LeftOut& left_out) {
  auto graph = std::make_shared<GraphInfo>();
  std::vector<TensorRef> refs(dot.nodes.size());
  for (const uint32_t i : dot_order(dot)) {
    DotLabel label = dot_label(dot.nodes[i]);
    auto& list = label.leaf ? graph->leafs : graph->nodes;
    refs[i] = label.leaf ? TensorRef::leaf(LeafId(list.size())) : TensorRef::node(NodeId(list.size()));
    list.push_back(dot_tensor(dot, dot.nodes[i], std::move(label)));
  }
  for (const DotEdge& edge : dot.edges) {
    const TensorRef from = refs[edge.from], to = refs[edge.to];
    if (!to.is_node()) {
      left_out.add(kConstantEdge);
      continue;
    }
    if (from.is_node() && from.index() >= to.index()) {
      left_out.add(kCycleEdge);
      continue;
    }
    graph->nodes[to.index()].sources.push_back(from);
    TensorInfo& source = from.is_leaf() ? graph->leafs[from.index()] : graph->nodes[from.index()];
    ++source.uses;
    ++graph->edges;
  }
  return graph;
}

Result<OpenReport> import_dot_graph(std::string_view text, const std::string& name, Sink& sink) {
  const auto dot = parse_dot(text, name);
  if (!dot) return dot.error();
  if (dot->nodes.empty()) return Error{name + ": the DOT graph has no nodes."};
  if (layer_bytes(*dot) > kMaxLayerBytes)
    return Error{name + ": the labels of the subgraphs around all nodes of the DOT graph exceed 32 MiB."};
  LeftOut left_out;
  const std::shared_ptr<GraphInfo> graph = convert_dot(*dot, left_out);
  graph->id = GraphId(0);
  graph->model = dot->name.empty() || dot->name == "G" ? std::filesystem::path(name).stem().string() : dot->name;
  OpenReport report{TraceKind::Dot, "DOT graph", ""};
  ImportBuilder builder;
  left_out.put(name, report, builder);
  sink.describe(SourceInfo{report.format, static_cast<int64_t>(dot->nodes.size())});
  sink.describe(std::shared_ptr<const GraphInfo>(graph));
  builder.finish(sink);
  return report;
}

}  // namespace

Result<OpenReport> import_dot(ByteSpan bytes, const std::string& name, Sink& sink) {
  try {
    return import_dot_graph({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name, sink);
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while reading the file."};
  }
}

}  // namespace arenascope::trace
