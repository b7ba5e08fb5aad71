// SPDX-License-Identifier: MIT
// Why a node cannot be lowered by the looks of it: beside its operator's schema, and by what its sources are.
#include <fmt/format.h>
#include "engine/models/onnx/moved_types.h"
#include "engine/models/onnx/wide_shapes.h"

#include <algorithm>

namespace arenascope::models {
namespace {

// A source that is no tensor, where the operator reads tensors.
const Value* unread_sequence(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  if (node.op.starts_with("Sequence") || node.op.starts_with("Optional") || node.op == "ConcatFromSequence" ||
      node.op == "Identity" || node.op == "Loop")
    return nullptr;
  for (const ValuePtr& input : inputs)
    if (input && (input->kind == Value::Kind::Sequence || input->kind == Value::Kind::Nothing)) return input.get();
  return nullptr;
}

// Of what an operator's schema asks for; 0: not known.
ir::TypeSet type_of_value(const Value& value) {
  if (value.kind == Value::Kind::Sequence) return ir::kSequences;
  if (value.kind != Value::Kind::Tensor && value.kind != Value::Kind::Constant) return 0;
  if (value.keys) return 0;
  if (value.words) return ir::TypeSet{1} << ir::kStringType;
  if (value.small != 0) return ir::TypeSet{1} << value.small;
  for (int32_t code = 1; code <= ir::kBFloat16Type; ++code)
    if (ir::to_dtype(code) == value.dtype) return ir::TypeSet{1} << code;
  return 0;
}

// ONNX Runtime has these in its own schemas since opset 1, and files have them from before ONNX did.
bool is_older_elsewhere(const ir::Node& node) {
  return node.domain.empty() &&
         (node.op == "LayerNormalization" || node.op == "MeanVarianceNormalization" || node.op == "ThresholdedRelu");
}

}  // namespace

bool reads_shape(const ir::Node& node) { return node.op == "Shape" || node.op == "Size"; }

bool any_words(const std::vector<ValuePtr>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const ValuePtr& input) { return input && input->words; });
}

// What its schema does not allow of a node. Operators that the table does not have may be older than it.
std::string Lowering::misfit(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  if (node.continues || !ir::Schemas::knows(node.domain, node.op)) return {};
  const ir::Schema* schema = schemas_.find(node.domain, node.op, node.opset);
  if (!schema && is_older_elsewhere(node)) return {};
  if (!schema)
    return fmt::format("there is no {} before opset {}, it is written for opset {}", node.op,
                       ir::Schemas::first_opset(node.domain, node.op), node.opset);
  std::vector<ir::TypeSet> types;
  for (const ValuePtr& input : inputs) types.push_back(input ? type_of_value(*input) : 0);
  return ir::misfit(node, *schema, types);
}

// Why a node cannot be lowered by the looks of it; empty where it can.
std::string Lowering::refusal(const ir::Node& node, const std::vector<ValuePtr>& inputs, const ir::Function* body) {
  if (std::string why = misfit(node, inputs); !why.empty()) return why;
  for (const auto& [name, attribute] : node.attributes)
    if (attribute.odd || !attribute.passed_on.empty())
      return fmt::format("its attribute '{}' is of a kind that is not read here", name);
  if (body) return {};
  if (std::string why = why_types_do_not_fit(node, inputs); !why.empty()) return why;
  if (const Value* list = unread_sequence(node, inputs))
    return fmt::format(
        "'{}' is {}", list->name,
        list->kind == Value::Kind::Nothing ? "an optional value that is not there" : "a sequence of tensors");
  const bool of_words = any_words(inputs) && find_word_handler(node.domain, node.op);
  if (!of_words && !find_handler(node.domain, node.op))
    return fmt::format("there is no operator {} here", node.full_name());
  for (const ValuePtr& input : inputs)
    if (input && !input->wide.empty() && (of_words || !find_wide_handler(node.domain, node.op)))
      return fmt::format("'{}' has {} dimensions, of at most {}", input->name, input->wide.size(), kMaxDims);
  return {};
}

}  // namespace arenascope::models
