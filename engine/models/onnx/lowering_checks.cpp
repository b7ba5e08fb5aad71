// SPDX-License-Identifier: MIT
// Checks before lowering a node: its operator's schema, and the kinds of its inputs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include "engine/models/onnx/data_movement_ops.h"
#include "engine/models/onnx/high_rank_shapes.h"

#include <algorithm>

namespace arenascope::models {
namespace {

// An input that is not a tensor although the operator reads tensors.
const Value* unread_sequence(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  if (node.op.starts_with("Sequence") || node.op.starts_with("Optional") || node.op == "ConcatFromSequence" ||
      node.op == "Identity" || node.op == "Loop")
    return nullptr;
  for (const ValuePtr& input : inputs)
    if (input && (input->kind == Value::Kind::Sequence || input->kind == Value::Kind::Nothing)) return input.get();
  return nullptr;
}

// The value's type for the schema check; 0 if unknown.
ir::TypeSet type_of_value(const Value& value) {
  if (value.kind == Value::Kind::Sequence) return ir::kSequences;
  if (value.kind != Value::Kind::Tensor && value.kind != Value::Kind::Constant) return 0;
  if (value.keys) return 0;
  if (value.strings) return ir::TypeSet{1} << ir::kStringType;
  if (value.small != 0) return ir::TypeSet{1} << value.small;
  for (int32_t code = 1; code <= ir::kBFloat16Type; ++code)
    if (ir::to_dtype(code) == value.dtype) return ir::TypeSet{1} << code;
  return 0;
}

// ONNX Runtime has had these in its own schemas since opset 1, so files use them with opsets older than ONNX's
// definition.
bool is_older_elsewhere(const ir::Node& node) {
  return node.domain.empty() &&
         (node.op == "LayerNormalization" || node.op == "MeanVarianceNormalization" || node.op == "ThresholdedRelu");
}

}  // namespace

std::string shapes_text(const ir::Node& node, std::span<const ValuePtr> inputs) {
  constexpr size_t kListed = 6;
  std::string text;
  size_t listed = 0;
  for (size_t i = 0; i < inputs.size() && i < node.inputs.size() && listed < kListed; ++i) {
    if (!inputs[i] || (inputs[i]->kind != Value::Kind::Tensor && inputs[i]->kind != Value::Kind::Constant)) continue;
    const std::vector<int64_t> sizes = full_sizes(*inputs[i]);
    const std::string shape = sizes.empty()       ? "a scalar"
                              : sizes.size() == 1 ? fmt::format("[{}]", sizes[0])
                                                  : fmt::format("{}", fmt::join(sizes, "×"));
    text += fmt::format("{}{} is {}", listed++ == 0 ? "" : ", ", node.inputs[i], shape);
  }
  return text;
}

bool reads_shape(const ir::Node& node) { return node.op == "Shape" || node.op == "Size"; }

bool any_strings(const std::vector<ValuePtr>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const ValuePtr& input) { return input && input->strings; });
}

// Describes a violation of the operator's schema. Operators that are not in the table may be older than the table.
std::string Lowering::schema_mismatch(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  if (node.continues || !ir::Schemas::knows(node.domain, node.op)) return {};
  const ir::Schema* schema = schemas_.find(node.domain, node.op, node.opset);
  if (!schema && is_older_elsewhere(node)) return {};
  if (!schema)
    return fmt::format("operator {} does not exist before opset {}; the model uses opset {}", node.op,
                       ir::Schemas::first_opset(node.domain, node.op), node.opset);
  std::vector<ir::TypeSet> types;
  for (const ValuePtr& input : inputs) types.push_back(input ? type_of_value(*input) : 0);
  return ir::schema_mismatch(node, *schema, types);
}

// The reason why a node cannot be lowered; empty if it can be.
std::string Lowering::unsupported_reason(const ir::Node& node, const std::vector<ValuePtr>& inputs,
                                         const ir::Function* body) {
  if (std::string why = schema_mismatch(node, inputs); !why.empty()) return why;
  for (const auto& [name, attribute] : node.attributes)
    if (attribute.odd || !attribute.passed_on.empty())
      return fmt::format("attribute '{}' has an unsupported kind", name);
  if (body) return {};
  if (std::string why = why_types_do_not_fit(node, inputs); !why.empty()) return why;
  if (const Value* list = unread_sequence(node, inputs))
    return fmt::format("'{}' is {}", list->name,
                       list->kind == Value::Kind::Nothing ? "an empty optional value" : "a sequence of tensors");
  const bool of_strings = any_strings(inputs) && find_string_tensor_handler(node.domain, node.op);
  if (!of_strings && !find_handler(node.domain, node.op))
    return fmt::format("operator {} is not supported", node.full_name());
  for (const ValuePtr& input : inputs)
    if (input && !input->full_shape.empty() && (of_strings || !find_wide_handler(node.domain, node.op)))
      return fmt::format("'{}' has {} dimensions; this operator supports at most {}", input->name,
                         input->full_shape.size(), kMaxDims);
  return {};
}

}  // namespace arenascope::models
