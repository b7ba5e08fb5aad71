// SPDX-License-Identifier: MIT
// Lowers node by node: a node is folded, lowered by its operator's handler, deferred, or replaced by a placeholder.
#include "engine/models/onnx/lowering.h"
#include <arenascope/base/layer_name.h>
#include <arenascope/graph/opaque.h>
#include <fmt/format.h>
#include "engine/models/onnx/data_movement_ops.h"
#include "engine/models/onnx/file_graph.h"
#include "engine/models/onnx/high_rank_shapes.h"
#include "engine/models/onnx/onnx_functions.h"

#include <algorithm>
#include <utility>

namespace arenascope::models {
namespace {

// Limit of the graph's metadata, about a million nodes; a file that expands to more is damaged or malicious.
constexpr size_t kMaxPoolBytes = size_t{1} << 29;

}  // namespace

Lowering::Lowering(ir::File file, const OpenOptions& options)
    : file_(std::move(file)), options_(options), symbols_({}, specified_sizes(file_, options)) {}

ValuePtr Lowering::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  return nullptr;
}

std::vector<ValuePtr> Lowering::inputs_of(const ir::Node& node) const {
  std::vector<ValuePtr> out;
  for (const std::string& name : node.inputs) out.push_back(name.empty() ? nullptr : find(name));
  return out;
}

void Lowering::add_problem(const ir::Node& node, const std::string& why, std::span<const ValuePtr> inputs) {
  complete_ = false;
  const ir::Node& specified = expanding_node_ ? *expanding_node_ : node;
  ++model_.unsupported[specified.full_name()];
  constexpr size_t kMany = 200;
  if (model_.problems.size() >= kMany) return;
  const std::string shapes = shapes_text(node, inputs);
  model_.problems.push_back(fmt::format("{}: {}{}{}{}", specified.label(),
                                        expanding_node_ ? fmt::format("its {}: ", node.op) : "", why,
                                        shapes.empty() ? "" : ": ", shapes));
}

// Folds the node if all its inputs are known. If some are known only because they were given, the node is lowered
// too.
bool Lowering::fold_node(const ir::Node& node, const std::vector<ValuePtr>& inputs, std::vector<ValuePtr>& results) {
  if (!node.domain.empty() || !can_fold(node.op) || inputs.empty()) return false;
  if (node.outputs.size() != 1 && node.op != "Split") return false;
  std::vector<const HostArray*> arrays;
  std::set<std::string> given;
  for (const ValuePtr& input : inputs) {
    if (input && !input->array) return false;
    if (input && input->strings && !reads_shape(node) &&
        (!moved_source(node, inputs) || find_string_tensor_handler({}, node.op)))
      return false;
    arrays.push_back(input ? input->array.get() : nullptr);
    if (input) given.insert(input->given_inputs.begin(), input->given_inputs.end());
  }
  HostArray fill = HostArray::scalar_f32(0);
  if (node.op == "ConstantOfShape") {
    if (const auto found = node.attributes.find("value"); found != node.attributes.end() && found->second.tensor) {
      const ir::TensorData& t = *found->second.tensor;
      if (!t.dtype || element_count(t.sizes) != 1) return false;
      fill = HostArray::from_bytes(*t.dtype, t.sizes, t.bytes().data());
    }
    arrays.push_back(&fill);
  }
  const auto attribute = [&](const char* name) -> const ir::Attribute* {
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? nullptr : &found->second;
  };
  const FoldCall call{node.op,
                      node.opset,
                      arrays,
                      [&](const char* name, int64_t fallback) {
                        const auto* a = attribute(name);
                        return a ? a->i : fallback;
                      },
                      [&](const char* name) {
                        const auto* a = attribute(name);
                        return a ? a->ints : std::vector<int64_t>();
                      },
                      [&](const char* name) { return attribute(name) != nullptr; },
                      node.outputs.size()};
  auto folded = fold(call);
  if (!folded) return false;
  for (size_t i = 0; i < folded->size(); ++i) {
    results.push_back(make_constant(node.outputs[i], std::move((*folded)[i])));
    results.back()->given_inputs = given;
  }
  return true;
}

Result<Tensor> Lowering::add_random_input(const std::string& name, DType dtype, const Dims& sizes,
                                          std::function<Status(uint64_t draw, std::byte* out)> write) {
  auto tensor = context_.new_tensor(dtype, sizes, name);
  if (!tensor) return tensor;
  (*tensor)->flags |= kFlagInput;
  model_.inputs.push_back({name, dtype, sizes, *tensor, [write](std::byte* to) { return write(0, to); }});
  model_.random_inputs.push_back({name, std::move(write)});
  return tensor;
}

// An OPAQUE node, which no backend can run, for a result of a node that cannot be lowered. If the file declares its
// shape, nodes that read it are lowered; else the value remains unknown.
ValuePtr Lowering::placeholder(const ir::Node& node, const std::string& output, std::span<const Tensor> sources) {
  auto value = std::make_shared<Value>();
  value->name = output;
  const auto found = declared_.find(output);
  const auto sizes = found == declared_.end() ? std::nullopt : declared_sizes(*found->second);
  OpParams params;
  params.set(sizes ? OpaqueParams::of(node.full_name(), *sizes, *found->second->dtype)
                   : OpaqueParams::of_unknown_size(node.full_name()));
  const auto made = context_.apply(Op::Opaque, sources, params, output);
  if (!made) return value;
  made_.push_back(*made);
  if (sizes) {
    value->kind = Value::Kind::Tensor;
    value->dtype = made->dtype();
    value->sizes = *sizes;
    value->tensor = *made;
  } else {
    value->placeholder = *made;
    if (!trying_) model_.unknown_sizes.push_back(output);
  }
  return value;
}

void Lowering::emit_placeholder(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  std::vector<Tensor> sources;
  for (const ValuePtr& input : inputs) {
    if (!input) continue;
    Status status;
    const bool known = input->kind == Value::Kind::Tensor || input->kind == Value::Kind::Constant;
    if (Tensor t = known ? materialise(*input, status) : input->placeholder) sources.push_back(t);
  }
  for (const std::string& output : node.outputs)
    if (!output.empty()) define(output, placeholder(node, output, sources));
}

std::string loop_label(const ir::Node& node) {
  const auto title = node.attributes.find(kLoopLabel);
  return title == node.attributes.end() ? node.label() : title->second.s;
}

// Defers a node that needs a run-time value, and all nodes that depend on it. A node in a subgraph defers the
// enclosing node.
void Lowering::defer(const ir::Node& node, const std::string& why) {
  if (scopes_.size() == 1) {
    deferred_.push_back(&node);
    if (!calls_.empty()) {  // nodes of a function do not outlive the call
      deferred_.back() = &later_.emplace_back(node);
      later_.back().within = calls_;
    }
    if (defer_reason_.empty()) defer_reason_ = fmt::format("{}: {}", loop_label(node), why);
  } else {
    subgraph_needs_runtime_value_ = true;
  }
  for (const std::string& output : node.outputs) {
    if (output.empty()) continue;
    auto value = std::make_shared<Value>();
    value->name = output;
    value->needs_runtime_value = true;
    define(output, std::move(value));
  }
}

const ir::Function* Lowering::own_function(const ir::Node& node) const {
  if (file_.functions.empty()) return nullptr;
  const auto found = file_.functions.find({node.domain, node.op});
  return found == file_.functions.end() ? nullptr : found->second.get();
}

const ir::Function* Lowering::body_of(const ir::Node& node) {
  if (find_handler(node.domain, node.op)) return nullptr;
  const ir::Schema* schema = schemas_.find(node.domain, node.op, node.opset);
  return schema ? schema->body.get() : nullptr;
}

std::string Lowering::call_label(const ir::Node& node) {
  std::string label = node.name;
  for (const std::string& output : node.outputs)
    if (label.empty()) label = output;
  const int number = ++labels_[label];
  return number > 1 && scopes_.size() == 1 ? fmt::format("{}.{}", label, number) : label;
}

void Lowering::lower_call(const ir::Function& function, const ir::Node& node) {
  const std::string label = call_label(node);
  lower_within(node, label, ir::expand(function, node, label));
}

// Lowers the nodes that one node expands to, as a layer of their own.
void Lowering::lower_within(const ir::Node& node, const std::string& label, const std::vector<ir::Node>& nodes) {
  unrolled_ += static_cast<int64_t>(nodes.size()) + 1;
  if (unrolled_ > ir::kMaxUnrolled) return add_problem(node, "the model expands to more than a million nodes");
  const std::string part = fmt::format("{} {}", node.op, label), outer = calls_;
  calls_ = outer.empty() ? part : fmt::format("{}{}{}", outer, kWithinLayer, part);
  const Within layer(*this, part);
  for (const ir::Node& inner : nodes) lower_node(inner);
  calls_ = outer;
}

// Assigns the current file node to the nodes added since the last call.
void Lowering::note_file_node() {
  const ObjectHeader* object = noted_ ? noted_->next : context_.first_object();
  for (; object; noted_ = object, object = object->next) {
    const TensorImpl* tensor = context_.tensor_of(*object);
    if (tensor && tensor->op != Op::None && file_node_)
      set_file_nodes(Tensor(const_cast<TensorImpl*>(tensor)), {file_node_});
  }
}

Lowering::FromFileNode::FromFileNode(Lowering& lowering, const ir::Node& node)
    : lowering_(lowering), outer_(lowering.file_node_) {
  // The body of an operator and continued nodes are not in the file.
  if (lowering.expanding_node_ || node.continues) return;
  lowering.note_file_node();
  lowering.file_node_ = std::make_shared<FileNode>(FileNode{node.full_name(), node.name});
}

Lowering::FromFileNode::~FromFileNode() {
  lowering_.note_file_node();
  lowering_.file_node_ = std::move(outer_);
}

void Lowering::lower_node(const ir::Node& node) {
  const FromFileNode scope(*this, node);
  if (const ir::Function* own = own_function(node)) return lower_call(*own, node);
  if (!expanding_node_) {
    ++model_.node_count;
    ++model_.ops[node.full_name()];
  }
  std::vector<ValuePtr> inputs = inputs_of(node);
  bool blocked = false;
  for (size_t i = 0; i < inputs.size(); ++i)
    blocked = blocked || (!node.inputs[i].empty() && (!inputs[i] || inputs[i]->kind == Value::Kind::Unknown));
  while (!inputs.empty() && !inputs.back()) inputs.pop_back();
  const ir::Function* body = body_of(node);
  if (const std::string why = unsupported_reason(node, inputs, body); !why.empty()) {
    add_problem(node, why);
    return emit_placeholder(node, inputs);
  }
  if (body) {
    const ir::Node* outer = std::exchange(expanding_node_, expanding_node_ ? expanding_node_ : &node);
    lower_call(*body, node);
    expanding_node_ = outer;
    return;
  }
  if (!blocked) return lower_by_handler(node, inputs);
  if (std::any_of(inputs.begin(), inputs.end(), [](const ValuePtr& i) { return i && i->needs_runtime_value; }))
    return defer(node, {});
  complete_ = false;
  emit_placeholder(node, inputs);
}

void Lowering::lower_by_handler(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  const bool wide =
      std::any_of(inputs.begin(), inputs.end(), [](const ValuePtr& i) { return i && !i->full_shape.empty(); });
  std::vector<ValuePtr> folded;
  if (!wide && fold_node(node, inputs, folded) && folded[0]->given_inputs.empty()) {
    for (size_t i = 0; i < folded.size(); ++i) {
      if (const Value* moved = moved_source(node, inputs)) {
        folded[i]->small = moved->small;
        folded[i]->strings = moved->strings;
      }
      define(node.outputs[i], folded[i]);
    }
    return;
  }
  OpCall call(*this, node, inputs);
  if (scopes_.size() == 1) subgraph_needs_runtime_value_ = false;
  const Handler of_strings = any_strings(inputs) ? find_string_tensor_handler(node.domain, node.op) : nullptr;
  const Handler of_numbers = wide ? find_wide_handler(node.domain, node.op) : find_handler(node.domain, node.op);
  (of_strings ? of_strings : of_numbers)(call);
  Status status = call.status();
  if (status.ok())
    for (size_t i = 0; i < node.outputs.size(); ++i)
      if (!node.outputs[i].empty() && !call.outputs()[i])
        status = Error{fmt::format("output '{}' is not supported", node.outputs[i])};
  if (!status.ok()) {
    if (!call.later().empty() && scopes_.size() == 1) {
      for (const ir::Node& later : call.later()) defer(later_.emplace_back(later), status.error().message);
      return;
    }
    if (call.needs_runtime_value() || subgraph_needs_runtime_value_) return defer(node, status.error().message);
    add_problem(node, status.error().message, inputs);
    return emit_placeholder(node, inputs);
  }
  define_results(node, inputs, call.outputs(), folded);
}

// `folded` holds the same outputs computed from the given inputs, if that was possible.
void Lowering::define_results(const ir::Node& node, const std::vector<ValuePtr>& inputs,
                              const std::vector<ValuePtr>& results, const std::vector<ValuePtr>& folded) {
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    const ValuePtr& made = results[i];
    if (const Value* moved = moved_source(node, inputs); moved && made->dtype == moved->dtype) {
      made->small = moved->small;
      if (moved->strings && !made->strings) made->strings = moved->strings;
    }
    if (i < folded.size() && made->kind == Value::Kind::Tensor && made->sizes == folded[i]->sizes && !made->array) {
      made->array = folded[i]->array;
      made->given_inputs = folded[i]->given_inputs;
    }
    if (made->tensor && made->kind == Value::Kind::Tensor) made_.push_back(made->tensor);
    const bool any_random = is_random(node) || std::any_of(inputs.begin(), inputs.end(), [](const ValuePtr& input) {
                              return input && input->random;
                            });
    if (any_random) made->random = true;
    define(node.outputs[i], made);
  }
}

void Lowering::lower_nodes(const ir::Graph& graph, bool outermost) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (outermost) set_layer(layer_of_all_.empty() ? layers_[i] : layer_of_all_);
    std::optional<Within> layer;
    if (!graph.nodes[i].within.empty()) layer.emplace(*this, graph.nodes[i].within);
    lower_node(graph.nodes[i]);
  }
}

void Lowering::set_layer(std::string layer) {
  layer_ = std::move(layer);
  context_.set_layer(layer_);
}

Lowering::Within::Within(Lowering& lowering, std::string_view part) : lowering_(lowering), before_(lowering.layer_) {
  lowering_.set_layer(before_.empty() ? std::string(part) : fmt::format("{}{}{}", before_, kWithinLayer, part));
}

Lowering::Within::~Within() { lowering_.set_layer(std::move(before_)); }

Result<std::vector<ValuePtr>> Lowering::lower_subgraph(const ir::Graph& graph, std::span<const ValuePtr> inputs) {
  scopes_.emplace_back();
  for (size_t i = 0; i < inputs.size() && i < graph.inputs.size(); ++i) define(graph.inputs[i].name, inputs[i]);
  for (const ir::TensorData& weight : graph.weights) add_weight(weight);
  lower_nodes(graph, false);
  std::vector<ValuePtr> outputs;
  for (const ir::ValueType& output : graph.outputs) outputs.push_back(find(output.name));
  scopes_.pop_back();
  for (const ValuePtr& output : outputs)
    if (!output || output->kind == Value::Kind::Unknown) return Error{"an output of the subgraph is unknown"};
  return outputs;
}

Result<std::vector<ValuePtr>> Lowering::lower_expansion(const ir::Node& node, const ir::Graph& graph,
                                                        std::span<const ValuePtr> inputs) {
  const ir::Node* outer = std::exchange(expanding_node_, expanding_node_ ? expanding_node_ : &node);
  auto made = lower_subgraph(graph, inputs);
  expanding_node_ = outer;
  return made;
}

Result<std::vector<ValuePtr>> Lowering::try_subgraph(const ir::Graph& graph, std::span<const ValuePtr> inputs) {
  const auto problems = model_.problems;
  const auto unsupported = model_.unsupported;
  const auto ops = model_.ops;
  const auto count = model_.node_count;
  const auto made = made_.size();
  const auto unrolled = unrolled_;
  const bool whole = complete_, needs_runtime_value = subgraph_needs_runtime_value_,
             trying = std::exchange(trying_, true);
  auto out = lower_subgraph(graph, inputs);
  model_.problems = problems, model_.unsupported = unsupported, model_.ops = ops, model_.node_count = count;
  made_.resize(made);
  unrolled_ = unrolled, complete_ = whole, subgraph_needs_runtime_value_ = needs_runtime_value, trying_ = trying;
  return out;
}

Result<Model> Lowering::run() { return lower({}); }

Result<Model> Lowering::lower_continuation(std::span<const ValuePtr> known, const std::string& layer) {
  is_continuation_ = true;
  layer_of_all_ = layer;
  return lower(known);
}

Result<Model> Lowering::lower(std::span<const ValuePtr> known) {
  layers_ = name_layers(file_.graph);
  auto context = Context::create({.no_alloc = true, .grow = true, .mem_limit = kMaxPoolBytes});
  if (!context) return context.error();
  context_ = std::move(*context);
  scopes_.resize(1);
  model_.format = "onnx";
  model_.missing = file_.missing;
  model_.file_node_count = ir::count_nodes(file_);
  model_.parameter_bytes = ir::parameter_bytes(file_);
  for (const auto& [domain, opset] : file_.opsets)
    if (const int64_t newest = ir::Schemas::newest_opset(domain); newest != 0 && opset > newest)
      model_.problems.push_back(fmt::format("the model uses opset {}{}{}; opsets up to {} are supported", opset,
                                            domain.empty() ? "" : " of ", domain, newest));
  for (const ir::ValueType& value : file_.graph.values) declared_[value.name] = &value;
  for (const ir::ValueType& value : file_.graph.outputs) declared_[value.name] = &value;
  for (const ir::ValueType& input : file_.graph.inputs) add_input(input);
  for (const ir::TensorData& weight : file_.graph.weights) add_weight(weight);
  for (const ValuePtr& value : known) define(value->name, value);
  lower_nodes(file_.graph, true);
  const Status finished = finish_graph();
  if (context_.use().pool_bytes == kMaxPoolBytes)
    return Error{"the graph needs more metadata than the limit of 512 MiB"};
  if (!finished.ok()) return finished.error();
  model_.fixed_inputs.assign(fixed_inputs_.begin(), fixed_inputs_.end());
  model_.context = context_;
  return std::move(model_);
}

}  // namespace arenascope::models
