// SPDX-License-Identifier: MIT
#include "engine/models/onnx/subgraph_builder.h"

#include <utility>

namespace arenascope::models::ir::subgraph {

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

std::string Nodes::add(const char* op, std::vector<std::string> sources, const std::string& result,
                       Attributes attributes) {
  Node& node = to_.emplace_back();
  node.op = op;
  node.opset = 17;
  node.continues = true;
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

std::string Nodes::unsqueezed(const std::string& x, int64_t axis, const std::string& result) {
  return add("Unsqueeze", {x, numbers({axis}, result + "_axis")}, result);
}

}  // namespace arenascope::models::ir::subgraph
