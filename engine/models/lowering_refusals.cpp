// SPDX-License-Identifier: MIT
// Why a node cannot be lowered by the looks of it: beside its operator's schema, and by what its sources are.
#include <fmt/format.h>
#include "engine/models/lowering.h"
#include "engine/models/wide_shapes.h"

#include <algorithm>

namespace arenascope::models {
namespace {

// The code of a source's small type where the operator does not know what to do with it: its numbers would be taken for
// those of the type that they are stored as. 0: there is none.
int32_t unread_small_type(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  for (const char* known :
       {"Cast", "CastLike", "QuantizeLinear", "DequantizeLinear", "GatherBlockQuantized", "Shape", "Size"})
    if (node.op == known) return 0;
  for (size_t i = moves_small_types(node.op) ? 1 : 0; i < inputs.size(); ++i)
    if (inputs[i] && inputs[i]->small != 0) return inputs[i]->small;
  return 0;
}

// A source of strings where the operator reads numbers.
const Value* unread_words(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  if (reads_shape(node) || Lowering::reads_words(node)) return nullptr;
  for (size_t i = moves_small_types(node.op) ? 1 : 0; i < inputs.size(); ++i)
    if (inputs[i] && inputs[i]->words) return inputs[i].get();
  return nullptr;
}

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

bool moves_small_types(std::string_view op) {
  for (const char* known : {"Identity", "Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Slice", "Gather",
                            "Split", "Tile", "Expand", "GatherElements", "GatherND", "Compress"})
    if (op == known) return true;
  return false;
}

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
  if (const int32_t small = unread_small_type(node, inputs))
    return fmt::format("it computes in {}", ir::type_name(small));
  if (const Value* strings = unread_words(node, inputs))
    return fmt::format("it computes with numbers, and '{}' holds strings", strings->name);
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
