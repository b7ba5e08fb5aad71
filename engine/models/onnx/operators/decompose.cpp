// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/decompose.h"
#include <fmt/format.h>
#include "engine/models/onnx/onnx_schema.h"

#include <numeric>

namespace arenascope::models {

namespace {

// Lowers an operator without a handler by the function body of its schema, as a subgraph.
std::vector<ValuePtr> lower_body(OpCall& c, const Part& part, const std::vector<ValuePtr>& sources) {
  ir::Schemas schemas;
  const ir::Schema* schema = schemas.find("", part.op, part.opset);
  if (!schema || !schema->body || schema->body->inputs.size() != sources.size()) {
    c.fail(fmt::format("operator {} is not supported", part.op));
    return {};
  }
  ir::Graph graph;
  graph.nodes = schema->body->nodes;
  const auto named = [](const std::string& name) {
    ir::ValueType type;
    type.name = name;
    return type;
  };
  for (const std::string& name : schema->body->inputs) graph.inputs.push_back(named(name));
  for (const std::string& name : schema->body->outputs) graph.outputs.push_back(named(name));
  auto made = c.lowering().lower_expansion(c.node(), graph, sources);
  if (!made) c.fail(made.error().message);
  return c.ok() ? *made : std::vector<ValuePtr>();
}

}  // namespace

std::vector<ValuePtr> lower_parts(OpCall& c, const Part& part) {
  if (!c.ok()) return {};
  ir::Node node;
  node.op = part.op;
  node.opset = part.opset;
  node.name = c.node().name;
  node.attributes = part.attributes;
  const bool whole = part.suffix.empty() && part.results == c.output_count();
  for (size_t i = 0; i < part.results; ++i) {
    const std::string name = c.name_of(part.suffix.c_str());
    node.outputs.push_back(whole && c.has_output(i) ? c.node().outputs[i]
                           : i == 0                 ? name
                                                    : fmt::format("{}_{}", name, i));
  }
  std::vector<ValuePtr> sources = part.sources;
  while (!sources.empty() && !sources.back()) sources.pop_back();
  const Handler handler = find_handler("", node.op);
  if (!handler) return lower_body(c, part, sources);
  OpCall inner(c.lowering(), node, std::move(sources));
  handler(inner);
  if (!inner.ok()) {
    if (whole && !inner.later().empty())
      c.defer_as_loop(inner.later()[0], inner.status().error().message,
                      std::vector<ir::Node>(inner.later().begin() + 1, inner.later().end()));
    else
      c.fail_as(inner);
    return {};
  }
  for (const ValuePtr& made : inner.outputs())
    if (!made) c.fail(fmt::format("{} in it does not make all of its results", part.op));
  return c.ok() ? inner.outputs() : std::vector<ValuePtr>();
}

Tensor lower_part(OpCall& c, const Part& part) {
  const auto made = lower_parts(c, part);
  if (made.empty()) return {};
  Status status;
  Tensor tensor = c.lowering().materialise(*made[0], status);
  if (!status.ok()) c.fail(status.error().message);
  return tensor;
}

ValuePtr source_of(const OpCall& c, size_t i) { return c.has(i) ? c.inputs()[i] : nullptr; }

ValuePtr as_source(OpCall& c, const Tensor& x) { return x ? tensor_value(c.name_of(":part"), x) : nullptr; }

ir::Attribute int_attribute(int64_t value) {
  ir::Attribute a;
  a.i = value;
  return a;
}
ir::Attribute float_attribute(float value) {
  ir::Attribute a;
  a.f = value;
  return a;
}
ir::Attribute string_attribute(std::string value) {
  ir::Attribute a;
  a.s = std::move(value);
  return a;
}
ir::Attribute ints_attribute(std::vector<int64_t> values) {
  ir::Attribute a;
  a.ints = std::move(values);
  return a;
}

PartAttributes attributes_without(const OpCall& c, std::initializer_list<const char*> left_out) {
  PartAttributes out = c.node().attributes;
  for (const char* name : left_out) out.erase(name);
  return out;
}

Tensor channels_second(OpCall& c, const Tensor& x, const char* suffix) {
  if (!x) return {};
  std::vector<int> order(static_cast<size_t>(x->rank()));
  std::iota(order.begin(), order.end(), 0);
  if (order.size() > 2) order.insert(order.begin() + 1, order.back()), order.pop_back();
  return c.permute(x, order, suffix);
}

Tensor channels_last(OpCall& c, const Tensor& x, const char* suffix) {
  if (!x) return {};
  std::vector<int> order(static_cast<size_t>(x->rank()));
  std::iota(order.begin(), order.end(), 0);
  if (order.size() > 2) order.push_back(1), order.erase(order.begin() + 1);
  return c.permute(x, order, suffix);
}

}  // namespace arenascope::models
