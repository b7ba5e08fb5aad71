// SPDX-License-Identifier: MIT
// Outputs of the graph, and the graph of all nodes that they depend on.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace arenascope::models {

namespace {

// The graph's leaf tensors, and those of the statistics of training, which nodes outside of the graph compute.
std::unordered_set<const TensorImpl*> used_leafs(const Model& model) {
  std::unordered_set<const TensorImpl*> used(model.graph.leafs().begin(), model.graph.leafs().end());
  std::vector<const TensorImpl*> open;
  for (const Statistic& statistic : model.statistics)
    open.insert(open.end(), {statistic.kept.impl(), statistic.next.impl()});
  while (!open.empty()) {
    const TensorImpl* tensor = open.back();
    open.pop_back();
    if (!tensor || !used.insert(tensor).second) continue;
    open.insert(open.end(), tensor->sources.begin(), tensor->sources.end());
    open.push_back(tensor->view_source);
  }
  return used;
}

// Drops weights and added inputs that nothing reads, such as those of a subgraph that was lowered to infer types only
// (try_subgraph()).
void drop_unused_leafs(Model& model) {
  const auto used = used_leafs(model);
  std::erase_if(model.weights, [&](const Weight& weight) { return !used.contains(weight.tensor.impl()); });
  std::unordered_set<std::string> dropped;
  for (const ValueInfo& input : model.inputs) {
    const auto is_input = [&](const RandomInput& random) { return random.name == input.name; };
    const bool added =
        input.name == kDropoutInput || std::any_of(model.random_inputs.begin(), model.random_inputs.end(), is_input);
    if (added && !used.contains(input.tensor.impl())) dropped.insert(input.name);
  }
  std::erase_if(model.inputs, [&](const ValueInfo& input) { return dropped.contains(input.name); });
  std::erase_if(model.random_inputs, [&](const RandomInput& input) { return dropped.contains(input.name); });
}

}  // namespace

// Outputs that are given tensors or that are listed twice are copied, so that each output has its own memory.
Status Lowering::add_output(const std::string& name, const ir::ValueType& type, const ValuePtr& value,
                            std::vector<Tensor>& roots) {
  ValueInfo info{name, type.dtype.value_or(DType::F32), {}, {}, {}};
  if (value && value->kind != Value::Kind::Unknown) {
    Status status;
    Tensor tensor = materialise(*value, status);
    if (!tensor) return status;
    const TensorImpl* owner = tensor->is_view() ? tensor->view_source : tensor.impl();
    const bool twice = std::find(roots.begin(), roots.end(), tensor) != roots.end();
    if (owner->op == Op::None || twice || !tensor->contiguous()) {
      const Tensor sources[] = {tensor};
      auto copy = context_.apply(tensor->contiguous() ? Op::Copy : Op::Cont, sources, {}, name);
      if (!copy) return copy.error();
      tensor = *copy;
    }
    tensor.set_flag(kFlagOutput);
    info.dtype = tensor.dtype();
    info.sizes = tensor.sizes();
    info.tensor = tensor;
    info.strings = value->strings;
    info.complex = value->small == ir::kComplex64;
    roots.push_back(tensor);
    if (value->random) model_.random_outputs.push_back(name);
  } else {
    complete_ = false;
    if (type.type == ir::kStringType) info.strings = unknown_strings();
    if (type.sizes.size() <= kMaxDims)
      for (const int64_t size : type.sizes) info.sizes.push_back(size);
    if (model_.problems.empty()) model_.problems.push_back(fmt::format("output '{}' cannot be computed", name));
  }
  model_.outputs.push_back(std::move(info));
  return {};
}

Status Lowering::finish_graph() {
  std::vector<Tensor> roots;
  context_.set_layer({});
  // If nothing can be lowered or another node failed, the deferred subgraph would never be compiled.
  if (!deferred_.empty() &&
      (!complete_ || (is_continuation_ && later_.empty() && deferred_.size() == file_.graph.nodes.size()))) {
    complete_ = false;
    ++model_.unsupported[deferred_.front()->full_name()];
    model_.problems.push_back(defer_reason_);
    for (const ir::Node* node : std::exchange(deferred_, {})) emit_placeholder(*node, inputs_of(*node));
  }
  for (const ir::ValueType& type : file_.graph.outputs) {
    const ValuePtr value = find(type.name);
    if (value && (value->kind == Value::Kind::Nothing || (value->needs_runtime_value && complete_))) continue;
    if (!value || value->kind != Value::Kind::Sequence) {
      if (auto ok = add_output(type.name, type, value, roots); !ok) return ok;
      continue;
    }
    for (size_t i = 0; i < value->elements.size(); ++i)
      if (auto ok = add_output(fmt::format("{}[{}]", type.name, i), type, value->elements[i], roots); !ok) return ok;
  }
  if (!deferred_.empty() && complete_)
    if (auto ok = build_deferred_subgraph(roots); !ok) return ok;
  if (!complete_) roots.insert(roots.end(), made_.begin(), made_.end());
  if (roots.empty()) {
    if (model_.problems.empty() && !model_.deferred)
      model_.problems.emplace_back("the model has no outputs: all of them are empty optional values");
    return {};
  }
  auto graph = context_.new_graph(context_.use().objects);
  if (!graph) return graph.error();
  for (const Tensor& root : roots)
    if (auto done = graph->expand(root); !done) return done;
  model_.graph = std::move(*graph);
  drop_unused_leafs(model_);
  return {};
}

}  // namespace arenascope::models
