// SPDX-License-Identifier: MIT
// Deferred subgraphs: the nodes that need run-time values become a model of their own with those values as inputs,
// preceded by the loop body of a node whose trip count is known only at run time.
#include <arenascope/base/layer_name.h>
#include <fmt/format.h>
#include "engine/models/onnx/high_rank_shapes.h"

#include <algorithm>
#include <limits>
#include <set>

namespace arenascope::models {

void collect_names(const ir::Node& node, std::vector<std::string>& out) {
  for (const std::string& name : node.inputs)
    if (!name.empty()) out.push_back(name);
  for (const auto& [key, attribute] : node.attributes) {
    if (!attribute.graph) continue;
    for (const ir::Node& inner : attribute.graph->nodes) collect_names(inner, out);
    for (const ir::ValueType& output : attribute.graph->outputs) out.push_back(output.name);
  }
}

namespace {

// The declaration of the value's type as in a file.
ir::ValueType type_of(const Value& value, const std::string& name) {
  ir::ValueType out;
  out.name = name;
  out.type = value.strings ? ir::kStringType : value.small;
  out.dtype = value.dtype;
  out.has_shape = true;
  for (const int64_t size : full_sizes(value)) {
    out.sizes.push_back(size);
    out.symbols.emplace_back();
  }
  return out;
}

// A declaration without type, sizes and kind, which are known when the values are.
ir::ValueType open_type(const std::string& name, int32_t type = 0) {
  ir::ValueType out;
  out.name = name;
  out.type = type;
  return out;
}

void settle_type(ir::ValueType& type, const GivenInputs& values) {
  const bool sequence = values.sequence_lengths.contains(type.name);
  const std::string first = sequence ? fmt::format("{}[0]", type.name) : type.name;
  const auto given = values.tensors.find(first);
  if (sequence) type.kind = ir::ValueType::Kind::Sequence;
  if (sequence) type.has_shape = false;
  if (given == values.tensors.end()) {
    if (!type.dtype) type.dtype = DType::F32;
    return;
  }
  type.dtype = given->second.dtype();
  if (values.strings.contains(first)) type.type = ir::kStringType;
  if (values.complex.contains(first)) type.type = ir::kComplex64;
  if (sequence || type.sizes.size() > kMaxDims) return;
  const Dims sizes = given->second.sizes();
  type.has_shape = true;
  type.sizes.assign(sizes.begin(), sizes.end());
  type.symbols.assign(type.sizes.size(), {});
}

// True for nodes created by OpCall::defer_as_loop().
bool is_runtime_loop(const ir::Node* node) { return node->continues && node->attributes.contains(kLoopScope); }

ir::Node identity(const std::string& from, const std::string& to) {
  ir::Node node;
  node.op = "Identity";
  node.continues = true;
  node.inputs = {from};
  node.outputs = {to};
  return node;
}

std::string in_layer(const std::string& layer, const std::string& part) {
  return layer.empty() ? part : fmt::format("{}{}{}", layer, kWithinLayer, part);
}

}  // namespace

// A graph that is compiled after the previous one has run.
struct Lowering::Part {
  ir::File file;
  std::set<std::string> specified;  // names that it defines or is given
  std::vector<ValuePtr> known;
  bool resamples_each_run = false;

  Part(const ir::File& of, bool resamples) : resamples_each_run(resamples) {
    file.ir_version = of.ir_version;
    file.producer = of.producer;
    file.opsets = of.opsets;
    file.functions = of.functions;
  }
  // Lowers with these values; for names in `open` only their types and sizes are used.
  Result<Model> lower(const OpenOptions& base, const GivenInputs& values, const std::set<std::string>& open,
                      const std::string& layer) const {
    OpenOptions options = base;
    options.inputs = values.tensors;
    options.strings = values.strings;
    options.sequence_lengths = values.sequence_lengths;
    options.complex = values.complex;
    ir::File own = file;
    for (ir::ValueType& input : own.graph.inputs) settle_type(input, values);
    for (const std::string& name : open) options.inputs.erase(name);
    std::vector<ValuePtr> given;  // values derived from them belong to this compilation
    for (const ValuePtr& value : known) given.push_back(std::make_shared<Value>(*value));
    Lowering lowering(std::move(own), options);
    if (resamples_each_run) lowering.resample_each_run();
    return lowering.lower_continuation(given, layer);
  }
};

// Values that a part reads from the graph: tensors become outputs of the graph and inputs of the part; known values
// are passed on.
Status Lowering::pass_values(const std::vector<std::string>& names, Part& part, DeferredSubgraph& rest,
                             std::set<std::string>& handed, std::vector<Tensor>& roots) {
  for (const std::string& name : names) {
    const ValuePtr value = find(name);
    if (!value || !part.specified.insert(name).second) continue;
    if (value->kind == Value::Kind::Tensor) {
      part.file.graph.inputs.push_back(type_of(*value, name));
      if (!handed.insert(name).second) continue;
      if (auto ok = add_output(name, part.file.graph.inputs.back(), value, roots); !ok) return ok;
    } else if (value->kind == Value::Kind::Sequence) {
      part.file.graph.inputs.push_back(open_type(name));
      if (!handed.insert(name).second) continue;
      rest.sequence_lengths[name] = static_cast<int64_t>(value->elements.size());
      for (size_t i = 0; i < value->elements.size(); ++i) {
        const std::string element = fmt::format("{}[{}]", name, i);
        const ValuePtr& one = value->elements[i];
        if (auto ok = add_output(element, type_of(*one, element), one, roots); !ok) return ok;
      }
    } else {
      part.known.push_back(std::make_shared<Value>(*value));
      part.known.back()->name = name;
      part.known.back()->tensor = {};
    }
  }
  return {};
}

// The body of a Loop: its states are inputs, and its outputs have names of their own.
void Lowering::build_loop_spec(const ir::Node& node, LoopSpec& iterations, Part& body) {
  const ir::Graph& graph = *node.attributes.at("body").graph;
  iterations.first = node.attributes.at(kUnrolledIterations).i;
  iterations.end = std::numeric_limits<int64_t>::max();
  if (const ValuePtr most = node.inputs[0].empty() ? nullptr : find(node.inputs[0]); most && most->array) {
    note_fixed_inputs(*most);
    iterations.end = most->array->integer(0);
  }
  const size_t states = graph.inputs.size() - 2;
  iterations.number = graph.inputs[0].name;
  body.file.graph.inputs.push_back(open_type(iterations.number));
  ValuePtr goes_on = make_constant(graph.inputs[1].name, HostArray::scalar(1, DType::Bool));
  body.known.push_back(std::move(goes_on));
  body.specified = {iterations.number, graph.inputs[1].name};
  for (size_t i = 0; i < states; ++i) {
    const std::string& name = graph.inputs[i + 2].name;
    const ValuePtr value = find(node.inputs[i + 2]);
    body.file.graph.inputs.push_back(open_type(name, value ? value->small : 0));
    body.specified.insert(name);
    iterations.states.push_back(name);
    iterations.sources.push_back(node.inputs[i + 2]);
  }
  for (size_t i = states + 1; i < graph.outputs.size(); ++i) {
    const size_t source = i + 1;
    iterations.left.push_back(source < node.inputs.size() ? node.inputs[source] : std::string());
  }
}

// The loop that runs before the deferred part is compiled: a subgraph of the node, whose inputs this graph computes.
Status Lowering::build_deferred_loop(const ir::Node& node, DeferredSubgraph& rest, std::set<std::string>& handed,
                                     std::vector<Tensor>& roots) {
  auto iterations = std::make_shared<LoopSpec>();
  auto body = std::make_shared<Part>(file_, true);
  const bool loop = node.op == "Loop";
  iterations->title = loop_label(node);
  iterations->results = node.outputs;
  const ir::Attribute* graph = nullptr;
  for (const auto& [name, attribute] : node.attributes)
    if (attribute.graph) graph = &attribute;
  iterations->conditional = loop;
  if (loop) {
    build_loop_spec(node, *iterations, *body);
  } else {  // a branch runs once; its results are states without an initial value
    iterations->end = 1;
    iterations->states.resize(graph->graph->outputs.size());
    iterations->sources.resize(iterations->states.size());
  }
  body->file.graph.nodes = graph->graph->nodes;
  body->file.graph.weights = graph->graph->weights;
  body->file.graph.values = graph->graph->values;
  for (const ir::Node& inner : graph->graph->nodes) body->specified.insert(inner.outputs.begin(), inner.outputs.end());
  for (const ir::TensorData& weight : graph->graph->weights) body->specified.insert(weight.name);
  std::vector<std::string> read, inputs;
  for (const ir::Node& inner : graph->graph->nodes) collect_names(inner, read);
  size_t place = loop ? 0 : 1;  // 0: the condition, then states, then scan outputs
  for (const ir::ValueType& output : graph->graph->outputs) {
    const std::string name = iterations->output(place++);
    read.push_back(output.name);
    body->file.graph.nodes.push_back(identity(output.name, name));
    body->file.graph.outputs.push_back(output);
    body->file.graph.outputs.back().name = name;
  }
  for (const std::string& source : iterations->sources) inputs.push_back(source);
  for (const std::string& source : iterations->left) inputs.push_back(source);
  if (auto ok = pass_values(read, *body, rest, handed, roots); !ok) return ok;
  // The inputs are values of the graph; the body uses other names for them.
  Part sources(file_, false);
  if (auto ok = pass_values(inputs, sources, rest, handed, roots); !ok) return ok;
  for (const ValuePtr& value : sources.known) {  // constants become outputs as well
    if (value->kind != Value::Kind::Constant || !handed.insert(value->name).second) continue;
    if (auto ok = add_output(value->name, type_of(*value, value->name), find(value->name), roots); !ok) return ok;
  }
  const std::string layer = node.attributes.at(kLoopScope).s;
  iterations->open = [body, layer, loop, options = options_, varying = iterations->states, number = iterations->number](
                         const GivenInputs& values, int64_t iteration, bool by_value) {
    std::set<std::string> open;
    if (!by_value) {
      open.insert(number);
      for (const std::string& state : varying) {
        open.insert(state);
        const auto length = values.sequence_lengths.find(state);
        for (int64_t i = 0; length != values.sequence_lengths.end() && i < length->second; ++i)
          open.insert(fmt::format("{}[{}]", state, i));
      }
    }
    const std::string scope = fmt::format("{} {}", by_value ? "iteration" : "iterations from", iteration);
    return body->lower(options, values, open, loop ? in_layer(layer, scope) : layer);
  };
  rest.loop = std::move(iterations);
  return {};
}

// The deferred nodes as a file of their own. Values that they read from the graph become its outputs; known values
// are passed on. The first loop among them runs before the others are compiled.
Status Lowering::build_deferred_subgraph(std::vector<Tensor>& roots) {
  auto rest = std::make_shared<DeferredSubgraph>();
  auto part = std::make_shared<Part>(file_, resamples_each_run_);
  for (const ir::ValueType& output : file_.graph.outputs) {
    const ValuePtr value = find(output.name);
    if (!value || !value->needs_runtime_value) continue;
    part->file.graph.outputs.push_back(output);
    rest->outputs.push_back(output.name);
  }
  if (rest->outputs.empty()) return {};  // no output depends on it
  const auto first = std::find_if(deferred_.begin(), deferred_.end(), is_runtime_loop);
  const ir::Node* iterations = first == deferred_.end() ? nullptr : *first;
  rest->why = defer_reason_;
  rest->node_count = static_cast<int64_t>(deferred_.size());
  rest->first_need = model_.outputs.size();
  std::vector<std::string> read;
  for (const ir::Node* node : deferred_) {
    if (node == iterations) continue;
    part->file.graph.nodes.push_back(*node);
    part->specified.insert(node->outputs.begin(), node->outputs.end());
    collect_names(*node, read);
  }
  std::set<std::string> handed;
  if (iterations) {
    if (auto ok = build_deferred_loop(*iterations, *rest, handed, roots); !ok) return ok;
    for (const std::string& result : iterations->outputs)
      if (!result.empty() && part->specified.insert(result).second)
        part->file.graph.inputs.push_back(open_type(result));
  }
  if (auto ok = pass_values(read, *part, *rest, handed, roots); !ok) return ok;
  rest->open = [part, options = options_](const GivenInputs& values) { return part->lower(options, values, {}, {}); };
  model_.deferred = std::move(rest);
  return {};
}

}  // namespace arenascope::models
