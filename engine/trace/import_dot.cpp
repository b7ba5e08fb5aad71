// SPDX-License-Identifier: MIT
// Graphs in Graphviz' DOT language. The labels of ggml's ggml_graph_dump_dot() have a name, type, index, shape and op.
#include <arenascope/base/layer_name.h>
#include <arenascope/trace/import.h>
#include <arenascope/trace/unknown_size.h>
#include "engine/trace/dot_parser.h"

#include <algorithm>
#include <filesystem>
#include <queue>
#include <unordered_set>

namespace arenascope::trace {

namespace {

struct DotLabel {
  std::string name, op, details;
  bool leaf = false;
};

// "weight (f16)" into name and type.
void take_dot_name(const std::string& field, DotLabel& label) {
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
  take_dot_name(fields[0], label);
  label.leaf = fields[1].starts_with("CONST ");
  label.details += " " + fields[1].substr(fields[1].find('['));
  if (!label.leaf) label.op = fields.size() > 2 ? fields[2] : std::string();
  return label;
}

// The first word of any other label is taken for the op.
DotLabel plain_dot_label(const DotNode& node) {
  DotLabel label;
  const std::string text = node.label.empty() || node.label == "\\N" ? node.id : dot_text(node.label);
  label.op = text.substr(0, text.find(' '));
  label.name = text == label.op ? node.id : text.substr(std::min(label.op.size() + 1, text.size()));
  return label;
}

DotLabel dot_label(const DotNode& node) {
  if (node.record || node.label.find('|') != std::string::npos) {
    const std::vector<std::string> fields = dot_fields(node.label);
    if (fields.size() > 1 && is_ggml_index(fields[1])) return ggml_label(fields);
    if (!fields.empty()) {
      DotNode plain = node;
      plain.label.clear();
      for (const std::string& field : fields) plain.label += (plain.label.empty() ? "" : " ") + field;
      return plain_dot_label(plain);
    }
  }
  return plain_dot_label(node);
}

// An order in which sources come first, otherwise the order of the file. Nodes on a cycle, and what follows from them, come
// last.
std::vector<uint32_t> dot_order(const DotGraph& graph) {
  std::vector<uint32_t> waits(graph.nodes.size()), order;
  std::vector<std::vector<uint32_t>> users(graph.nodes.size());
  for (const DotEdge& edge : graph.edges) {
    ++waits[edge.to];
    users[edge.from].push_back(edge.to);
  }
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t i = 0; i < waits.size(); ++i)
    if (waits[i] == 0) ready.push(i);
  std::vector<bool> done(waits.size());
  while (!ready.empty()) {
    const uint32_t next = ready.top();
    ready.pop();
    done[next] = true;
    order.push_back(next);
    for (const uint32_t user : users[next])
      if (--waits[user] == 0) ready.push(user);
  }
  for (uint32_t i = 0; i < done.size(); ++i)
    if (!done[i]) order.push_back(i);
  return order;
}

std::string dot_layer(const DotNode& node) {
  std::string layer;
  for (const std::string& part : node.layers) {
    if (part.empty()) continue;
    if (!layer.empty()) layer += kWithinLayer;
    layer += part;
  }
  return layer;
}

TensorInfo dot_tensor(const DotNode& node, DotLabel label) {
  TensorInfo info;
  info.name = label.name.empty() ? node.id : std::move(label.name);
  info.op = label.leaf ? std::string() : std::move(label.op);
  info.layer = dot_layer(node);
  info.parameters = std::move(label.details);
  info.flags = kUnknownSize;  // a dump of up to three dimensions does not determine the size
  return info;
}

struct DotImport {
  std::shared_ptr<GraphInfo> graph = std::make_shared<GraphInfo>();
  size_t dropped = 0;  // edges that close a cycle
};

DotImport convert_dot(const DotGraph& dot) {
  DotImport out;
  std::vector<TensorRef> refs(dot.nodes.size());
  for (const uint32_t i : dot_order(dot)) {
    DotLabel label = dot_label(dot.nodes[i]);
    auto& list = label.leaf ? out.graph->leafs : out.graph->nodes;
    refs[i] = label.leaf ? TensorRef::leaf(LeafId(list.size())) : TensorRef::node(NodeId(list.size()));
    list.push_back(dot_tensor(dot.nodes[i], std::move(label)));
  }
  for (const DotEdge& edge : dot.edges) {
    const TensorRef from = refs[edge.from], to = refs[edge.to];
    if (!to.is_node() || (from.is_node() && from.index() >= to.index())) {
      ++out.dropped;
      continue;
    }
    out.graph->nodes[to.index()].sources.push_back(from);
    TensorInfo& source = from.is_leaf() ? out.graph->leafs[from.index()] : out.graph->nodes[from.index()];
    ++source.uses;
    ++out.graph->edges;
  }
  return out;
}

}  // namespace

Result<OpenReport> import_dot(ByteSpan bytes, const std::string& name, Sink& sink) {
  const auto dot = parse_dot({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
  if (!dot) return dot.error();
  if (dot->nodes.empty()) return Error{name + ": the DOT graph has no nodes."};
  DotImport made = convert_dot(*dot);
  made.graph->id = GraphId(0);
  made.graph->model = dot->name.empty() || dot->name == "G" ? std::filesystem::path(name).stem().string() : dot->name;
  OpenReport report{TraceKind::Dot, "DOT graph", ""};
  if (made.dropped > 0) {
    report.problem = name + ": " + std::to_string(made.dropped) +
                     " edges were left out, because they close a cycle or lead to a constant.";
    Problem problem;
    problem.severity = Severity::Warning;
    problem.kind = ProblemKind::LeftOut;
    problem.sentence = report.problem;
    sink.describe(problem);
  }
  sink.describe(SourceInfo{report.format, static_cast<int64_t>(dot->nodes.size())});
  sink.describe(std::shared_ptr<const GraphInfo>(std::move(made.graph)));
  sink.flush();
  return report;
}

}  // namespace arenascope::trace
