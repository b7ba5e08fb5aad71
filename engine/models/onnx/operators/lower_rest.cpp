// SPDX-License-Identifier: MIT
// What of a file waits for values that only a run makes: nodes of their own, with those values for inputs, and before them the
// graph of a node that goes round until a run ends it.
#include <arenascope/base/layer_name.h>
#include <fmt/format.h>
#include "engine/models/onnx/wide_shapes.h"

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

// As the file would declare it.
ir::ValueType type_of(const Value& value, const std::string& name) {
  ir::ValueType out;
  out.name = name;
  out.type = value.words ? ir::kStringType : value.small;
  out.dtype = value.dtype;
  out.has_shape = true;
  for (const int64_t size : full_sizes(value)) {
    out.sizes.push_back(size);
    out.symbols.emplace_back();
  }
  return out;
}

// What is told when the values are there: of type, sizes and whether it is a sequence.
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
  if (values.words.contains(first)) type.type = ir::kStringType;
  if (values.complex.contains(first)) type.type = ir::kComplex64;
  if (sequence || type.sizes.size() > kMaxDims) return;
  const Dims sizes = given->second.sizes();
  type.has_shape = true;
  type.sizes.assign(sizes.begin(), sizes.end());
  type.symbols.assign(type.sizes.size(), {});
}

// What OpCall::leave() left.
bool goes_round(const ir::Node* node) { return node->continues && node->attributes.contains(kLayerOfTurns); }

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

// A graph that is opened when the one before it has run.
struct Lowering::Part {
  ir::File file;
  std::set<std::string> told;  // names that it makes itself or is given
  std::vector<ValuePtr> known;
  bool draws_for_each_run = false;

  Part(const ir::File& of, bool draws) : draws_for_each_run(draws) {
    file.ir_version = of.ir_version;
    file.producer = of.producer;
    file.opsets = of.opsets;
    file.functions = of.functions;
    file.channel_block = of.channel_block;
  }
  // With these values, or only their types and sizes where `open` names them.
  Result<Model> lower(const OpenOptions& base, const GivenInputs& values, const std::set<std::string>& open,
                      const std::string& layer) const {
    OpenOptions options = base;
    options.inputs = values.tensors;
    options.words = values.words;
    options.sequence_lengths = values.sequence_lengths;
    options.complex = values.complex;
    ir::File own = file;
    for (ir::ValueType& input : own.graph.inputs) settle_type(input, values);
    for (const std::string& name : open) options.inputs.erase(name);
    std::vector<ValuePtr> given;  // what is made of them belongs to that opening
    for (const ValuePtr& value : known) given.push_back(std::make_shared<Value>(*value));
    Lowering lowering(std::move(own), options);
    if (draws_for_each_run) lowering.draw_for_each_run();
    return lowering.go_on(given, layer);
  }
};

// What a part reads of the graph: tensors are its outputs and inputs of the part, what is known is handed on.
Status Lowering::hand_over(const std::vector<std::string>& names, Part& part, Rest& rest, std::set<std::string>& handed,
                           std::vector<Tensor>& roots) {
  for (const std::string& name : names) {
    const ValuePtr value = find(name);
    if (!value || !part.told.insert(name).second) continue;
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
void Lowering::make_loop(const ir::Node& node, Turns& turns, Part& body) {
  const ir::Graph& graph = *node.attributes.at("body").graph;
  turns.first = node.attributes.at(kTurnsBefore).i;
  turns.end = std::numeric_limits<int64_t>::max();
  if (const ValuePtr most = node.inputs[0].empty() ? nullptr : find(node.inputs[0]); most && most->array)
    turns.end = most->array->integer(0);
  const size_t states = graph.inputs.size() - 2;
  turns.number = graph.inputs[0].name;
  body.file.graph.inputs.push_back(open_type(turns.number));
  ValuePtr goes_on = make_constant(graph.inputs[1].name, HostArray::scalar(1, DType::Bool));
  body.known.push_back(std::move(goes_on));
  body.told = {turns.number, graph.inputs[1].name};
  for (size_t i = 0; i < states; ++i) {
    const std::string& name = graph.inputs[i + 2].name;
    const ValuePtr value = find(node.inputs[i + 2]);
    body.file.graph.inputs.push_back(open_type(name, value ? value->small : 0));
    body.told.insert(name);
    turns.states.push_back(name);
    turns.sources.push_back(node.inputs[i + 2]);
  }
  for (size_t i = states + 1; i < graph.outputs.size(); ++i) {
    const size_t source = i + 1;
    turns.left.push_back(source < node.inputs.size() ? node.inputs[source] : std::string());
  }
}

// What goes round before the rest is opened: the graph inside the node, of which this graph makes the sources.
Status Lowering::make_turns(const ir::Node& node, Rest& rest, std::set<std::string>& handed,
                            std::vector<Tensor>& roots) {
  auto turns = std::make_shared<Turns>();
  auto body = std::make_shared<Part>(file_, true);
  const bool loop = node.op == "Loop";
  turns->title = title_of_turns(node);
  turns->results = node.outputs;
  const ir::Attribute* graph = nullptr;
  for (const auto& [name, attribute] : node.attributes)
    if (attribute.graph) graph = &attribute;
  turns->conditional = loop;
  if (loop) {
    make_loop(node, *turns, *body);
  } else {  // a branch: once, and what it makes are states that nothing was before
    turns->end = 1;
    turns->states.resize(graph->graph->outputs.size());
    turns->sources.resize(turns->states.size());
  }
  body->file.graph.nodes = graph->graph->nodes;
  body->file.graph.weights = graph->graph->weights;
  body->file.graph.values = graph->graph->values;
  for (const ir::Node& inner : graph->graph->nodes) body->told.insert(inner.outputs.begin(), inner.outputs.end());
  for (const ir::TensorData& weight : graph->graph->weights) body->told.insert(weight.name);
  std::vector<std::string> read, inputs;
  for (const ir::Node& inner : graph->graph->nodes) collect_names(inner, read);
  size_t place = loop ? 0 : 1;  // 0: the condition, then states, then what is left
  for (const ir::ValueType& output : graph->graph->outputs) {
    const std::string name = turns->output(place++);
    read.push_back(output.name);
    body->file.graph.nodes.push_back(identity(output.name, name));
    body->file.graph.outputs.push_back(output);
    body->file.graph.outputs.back().name = name;
  }
  for (const std::string& source : turns->sources) inputs.push_back(source);
  for (const std::string& source : turns->left) inputs.push_back(source);
  if (auto ok = hand_over(read, *body, rest, handed, roots); !ok) return ok;
  // They are values of the graph, and the body knows them by other names.
  Part sources(file_, false);
  if (auto ok = hand_over(inputs, sources, rest, handed, roots); !ok) return ok;
  for (const ValuePtr& value : sources.known) {  // constants become outputs as well
    if (value->kind != Value::Kind::Constant || !handed.insert(value->name).second) continue;
    if (auto ok = add_output(value->name, type_of(*value, value->name), find(value->name), roots); !ok) return ok;
  }
  const std::string layer = node.attributes.at(kLayerOfTurns).s;
  turns->open = [body, layer, loop, options = options_, varying = turns->states, number = turns->number](
                    const GivenInputs& values, int64_t turn, bool by_value) {
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
    const std::string turns_here = fmt::format("{} {}", by_value ? "turn" : "turns from", turn);
    return body->lower(options, values, open, loop ? in_layer(layer, turns_here) : layer);
  };
  rest.turns = std::move(turns);
  return {};
}

// The nodes that were put off as a file of their own; what they read of the graph is an output of it, what is known is
// handed on. The first of the nodes that go round has run before they are opened.
Status Lowering::make_rest(std::vector<Tensor>& roots) {
  auto rest = std::make_shared<Rest>();
  auto part = std::make_shared<Part>(file_, draws_for_each_run_);
  for (const ir::ValueType& output : file_.graph.outputs) {
    const ValuePtr value = find(output.name);
    if (!value || !value->waits) continue;
    part->file.graph.outputs.push_back(output);
    rest->outputs.push_back(output.name);
  }
  if (rest->outputs.empty()) return {};  // nobody asks for it
  const auto first = std::find_if(put_off_.begin(), put_off_.end(), goes_round);
  const ir::Node* turns = first == put_off_.end() ? nullptr : *first;
  rest->why = why_put_off_;
  rest->node_count = static_cast<int64_t>(put_off_.size());
  rest->first_need = model_.outputs.size();
  std::vector<std::string> read;
  for (const ir::Node* node : put_off_) {
    if (node == turns) continue;
    part->file.graph.nodes.push_back(*node);
    part->told.insert(node->outputs.begin(), node->outputs.end());
    collect_names(*node, read);
  }
  std::set<std::string> handed;
  if (turns) {
    if (auto ok = make_turns(*turns, *rest, handed, roots); !ok) return ok;
    for (const std::string& result : turns->outputs)
      if (!result.empty() && part->told.insert(result).second) part->file.graph.inputs.push_back(open_type(result));
  }
  if (auto ok = hand_over(read, *part, *rest, handed, roots); !ok) return ok;
  rest->open = [part, options = options_](const GivenInputs& values) { return part->lower(options, values, {}, {}); };
  model_.rest = std::move(rest);
  return {};
}

}  // namespace arenascope::models
