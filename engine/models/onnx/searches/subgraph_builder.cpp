// SPDX-License-Identifier: MIT
#include "engine/models/onnx/searches/subgraph_builder.h"

#include <utility>

namespace arenascope::models::ir::search {

Attribute whole(int64_t value) {
  Attribute a;
  a.kind = Attribute::kInt;
  a.i = value;
  return a;
}

Attribute of_graph(std::shared_ptr<Graph> graph) {
  Attribute a;
  a.kind = Attribute::kGraph;
  a.graph = std::move(graph);
  return a;
}

Attributes along(int64_t axis) { return {{"axis", whole(axis)}}; }

ValueType value(const std::string& name, int32_t type) {
  ValueType out;
  out.name = name;
  out.type = type;
  out.dtype = to_dtype(type);
  return out;
}

Node& Nodes::make(const char* op) {
  Node& node = to_.emplace_back();
  node.op = op;
  node.opset = 17;
  node.continues = true;
  return node;
}

std::string Nodes::add(const char* op, std::vector<std::string> sources, const std::string& result,
                       Attributes attributes, const char* domain) {
  Node& node = make(op);
  node.domain = domain;
  if (!node.domain.empty()) node.opset = 1;
  node.inputs = std::move(sources);
  node.outputs.push_back(name(result));
  node.attributes = std::move(attributes);
  return node.outputs[0];
}

std::string Nodes::number(int64_t value, const std::string& result) {
  return add("Constant", {}, result, {{"value_int", whole(value)}});
}

std::string Nodes::numbers(std::vector<int64_t> values, const std::string& result) {
  Attribute a;
  a.kind = Attribute::kInts;
  a.ints = std::move(values);
  return add("Constant", {}, result, {{"value_ints", std::move(a)}});
}

std::string Nodes::real(float value, const std::string& result) {
  Attribute a;
  a.kind = Attribute::kFloats;
  a.floats = {value};
  return add("Constant", {}, result, {{"value_floats", std::move(a)}});
}

std::string Nodes::cast(const std::string& x, int32_t type, const std::string& result) {
  return add("Cast", {x}, result, {{"to", whole(type)}});
}

std::string Nodes::size(const std::string& x, int64_t axis, const std::string& result) {
  return add("Gather", {add("Shape", {x}, result + "_shape"), number(axis, result + "_axis")}, result, along(0));
}

std::string Nodes::range(const std::string& count, const std::string& result) {
  return add("Range", {number(0, result + "_begin"), count, number(1, result + "_step")}, result);
}

std::string Nodes::slice(const std::string& x, const std::string& begin, const std::string& end, int64_t axis,
                         const std::string& result) {
  return add("Slice", {x, begin, end, numbers({axis}, result + "_axis")}, result);
}

std::string Nodes::unsqueezed(const std::string& x, int64_t axis, const std::string& result) {
  return add("Unsqueeze", {x, numbers({axis}, result + "_axis")}, result);
}

std::string Nodes::top(const std::string& x, const std::string& count, bool largest, const std::string& result) {
  add("TopK", {x, count}, result, {{"axis", whole(-1)}, {"largest", whole(largest ? 1 : 0)}, {"sorted", whole(1)}});
  to_.back().outputs.push_back(name(result + "_at"));
  return to_.back().outputs[0];
}

void Nodes::graph(std::shared_ptr<Graph> graph, const std::string& title, std::vector<std::string> results) {
  const std::string always = cast(number(1, title + "_one"), kBool, title + "_always");
  Node& node = make("If");
  node.name = title;
  node.inputs = {always};
  node.outputs = std::move(results);
  node.attributes["then_branch"] = node.attributes["else_branch"] = of_graph(std::move(graph));
}

void bind_names(Graph& graph, const Bound& bound) {
  std::vector<Node> front;
  for (const auto& [inner, outer] : bound) {
    Nodes(std::string(), front).add("Identity", {outer}, inner);
    front.back().outputs[0] = inner;
  }
  graph.nodes.insert(graph.nodes.begin(), std::make_move_iterator(front.begin()), std::make_move_iterator(front.end()));
}

int64_t Call::attribute(const char* name, int64_t fallback) const {
  const auto at = node.attributes.find(name);
  return at == node.attributes.end() ? fallback : at->second.i;
}

float Call::real(const char* name, float fallback) const {
  const auto at = node.attributes.find(name);
  return at == node.attributes.end() ? fallback : at->second.f;
}

const Graph* Call::graph(const char* name) const {
  const auto at = node.attributes.find(name);
  return at == node.attributes.end() ? nullptr : at->second.graph.get();
}

}  // namespace arenascope::models::ir::search
