// SPDX-License-Identifier: MIT
#include "engine/models/onnx/data_movement_ops.h"

#include <fmt/format.h>

#include <algorithm>

namespace arenascope::models {
namespace {

// Operators by the inputs whose elements they move.
struct Mover {
  const char* op;
  uint32_t sources;  // a bit for each
};
constexpr uint32_t kAll = ~0U;
constexpr Mover kMovers[] = {
    {"CenterCropPad", 1},
    {"Compress", 1},
    {"Concat", kAll},
    {"DepthToSpace", 1},
    {"Expand", 1},
    {"Flatten", 1},
    {"Gather", 1},
    {"GatherElements", 1},
    {"GatherND", 1},
    {"Identity", 1},
    {"Pad", 5},
    {"Reshape", 1},
    {"ReverseSequence", 1},
    {"Scatter", 5},
    {"ScatterElements", 5},
    {"ScatterND", 5},
    {"Slice", 1},
    {"SpaceToDepth", 1},
    {"Split", 1},
    {"SplitToSequence", 1},
    {"Squeeze", 1},
    {"TensorScatter", 3},
    {"Tile", 1},
    {"Transpose", 1},
    {"Trilu", 1},
    {"Unsqueeze", 1},
    {"Where", 6},
};

// Operators that forward values unchanged, control flow included.
bool hands_on(std::string_view op) {
  for (const char* known :
       {"If", "Loop", "Scan", "Optional", "OptionalGetElement", "OptionalHasElement", "ConcatFromSequence"})
    if (op == known) return true;
  return op.starts_with("Sequence");
}

bool reads_maps(const ir::Node& node) {
  return node.domain == "ai.onnx.ml" && (node.op == "DictVectorizer" || node.op == "CastMap");
}

bool adds_up(const ir::Node& node) {
  const auto reduction = node.attributes.find("reduction");
  return reduction != node.attributes.end() && reduction->second.s != "none" && !reduction->second.s.empty();
}

bool converts_small_types(std::string_view op) {
  return op == "Cast" || op == "CastLike" || op == "QuantizeLinear" || op == "DequantizeLinear" ||
         op == "GatherBlockQuantized" || op == "IsInf" || op == "IsNaN";
}

}  // namespace

bool is_moved_source(std::string_view op, size_t i) {
  for (const Mover& mover : kMovers)
    if (op == mover.op) return mover.sources == kAll || (i < 32 && (mover.sources >> i & 1U) != 0);
  return false;
}

const Value* moved_source(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  for (size_t i = 0; node.domain.empty() && i < inputs.size(); ++i)
    if (inputs[i] && inputs[i]->kind != Value::Kind::Unknown && is_moved_source(node.op, i)) return inputs[i].get();
  return nullptr;
}

std::string why_types_do_not_fit(const ir::Node& node, const std::vector<ValuePtr>& inputs) {
  if (node.domain.empty() && (reads_shape(node) || hands_on(node.op))) return {};
  const bool reads_strings = Lowering::reads_strings(node);
  const Value* moved = moved_source(node, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] && inputs[i]->keys && !reads_maps(node)) return fmt::format("'{}' is a map", inputs[i]->name);
    if (!inputs[i] || (inputs[i]->small == 0 && !inputs[i]->strings)) continue;
    const Value& input = *inputs[i];
    if (input.strings && reads_strings) continue;
    if (input.small != 0 && input.small != ir::kComplex64 && converts_small_types(node.op)) continue;
    const bool moves = moved && is_moved_source(node.op, i) && !adds_up(node);
    if (input.strings && !moves) return fmt::format("'{}' has strings: expected numbers", input.name);
    if (!moves) return fmt::format("it computes in {}", ir::type_name(input.small));
  }
  for (size_t i = 0; moved && i < inputs.size(); ++i)
    if (inputs[i] && inputs[i]->kind != Value::Kind::Unknown && is_moved_source(node.op, i) &&
        (inputs[i]->small != moved->small || !inputs[i]->strings != !moved->strings))
      return fmt::format("'{}' and '{}' are of different types", moved->name, inputs[i]->name);
  return {};
}

}  // namespace arenascope::models
