// SPDX-License-Identifier: MIT
#include "engine/models/onnx/symbolic_shapes.h"

#include "engine/models/onnx/symbolic_call.h"

namespace arenascope::models {
namespace symbolic {
namespace {

void (*rule_of(const std::string& op))(SymbolicCall&) {
  static const auto rules = [] {
    std::unordered_map<std::string_view, void (*)(SymbolicCall&)> out;
    for (const auto list : {movement_rules(), arithmetic_rules(), attention_rules()})
      for (const Rule& rule : list) out.emplace(rule.op, rule.infer);
    return out;
  }();
  const auto found = rules.find(op);
  return found == rules.end() ? unlisted_rule(op) : found->second;
}

class SymbolicShapes {
 public:
  SymbolicShapes(const ir::File& file, DimensionEquations& equations) : file_(file), equations_(equations) {}

  std::vector<std::pair<LinearSize, LinearSize>> run() {
    for (const ir::ValueType& input : file_.graph.inputs) values_[input.name] = {declared(input, true), std::nullopt};
    for (const ir::TensorData& weight : file_.graph.weights) values_[weight.name] = constant_tensor(weight);
    for (const auto* list : {&file_.graph.values, &file_.graph.outputs})
      for (const ir::ValueType& value : *list) declared_[value.name] = &value;
    for (const ir::Node& node : file_.graph.nodes) infer(node);
    return std::move(declared_equations_);
  }

 private:
  std::optional<SymbolicSizes> declared(const ir::ValueType& type, bool is_input) const {
    if (!type.has_shape) return std::nullopt;
    SymbolicSizes out;
    for (size_t i = 0; i < type.sizes.size(); ++i) {
      const FreeDimension free{type.name, static_cast<int>(i), type.symbols[i], 1, false};
      const std::string key = is_input ? free.key() : type.symbols[i];
      out.push_back(type.sizes[i] >= 0 ? number(type.sizes[i])
                    : key.empty()      ? std::nullopt
                                       : equations_.of_symbol(key));
    }
    return out;
  }

  void infer(const ir::Node& node) {
    const bool standard = node.domain.empty() || node.domain == "com.microsoft";
    const bool own = file_.functions.contains({node.domain, node.op});
    SymbolicCall call(node, values_, equations_);
    if (const auto rule = standard && !own ? rule_of(node.op) : nullptr) rule(call);
    for (const std::string& output : node.outputs)
      if (const auto type = declared_.find(output); type != declared_.end()) adopt_declared(output, *type->second);
  }

  // Fills in sizes that were not inferred.
  void adopt_declared(const std::string& output, const ir::ValueType& type) {
    const auto sizes = declared(type, false);
    if (!sizes) return;
    SymbolicTensor& value = values_[output];
    if (!value.shape) value.shape = SymbolicSizes(sizes->size());
    for (size_t i = 0; value.shape->size() == sizes->size() && i < sizes->size(); ++i) {
      SymbolicSize& size = (*value.shape)[i];
      const SymbolicSize& other = (*sizes)[i];
      if (size && other && *size != *other) declared_equations_.emplace_back(*other, *size);
      if (!size) size = other;
    }
  }

  const ir::File& file_;
  DimensionEquations& equations_;
  SymbolicTensors values_;
  std::unordered_map<std::string, const ir::ValueType*> declared_;
  std::vector<std::pair<LinearSize, LinearSize>> declared_equations_;
};

}  // namespace
}  // namespace symbolic

std::vector<std::pair<LinearSize, LinearSize>> add_shape_equations(const ir::File& file,
                                                                   DimensionEquations& equations) {
  return symbolic::SymbolicShapes(file, equations).run();
}

}  // namespace arenascope::models
