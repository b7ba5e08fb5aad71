// SPDX-License-Identifier: MIT
// A node whose output shapes are inferred as linear expressions of the file's free dimensions. A rule reads the inputs,
// sets the outputs as far as they are linear, and requires sizes to be equal where the node needs that. To add an op,
// write a rule in one of the symbolic_*.cpp files and add a row to that file's table.
#pragma once
#include "engine/models/onnx/dimension_equations.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace arenascope::models::symbolic {

using SymbolicSize = std::optional<LinearSize>;  // nullopt: unknown, or not linear
using SymbolicSizes = std::vector<SymbolicSize>;

struct SymbolicTensor {
  std::optional<SymbolicSizes> shape;
  std::optional<SymbolicSizes> numbers;  // elements of a small integer tensor
};
using SymbolicTensors = std::unordered_map<std::string, SymbolicTensor>;

inline constexpr int64_t kMaxNumbers = 64;  // elements of an integer tensor that are followed

inline SymbolicSize number(int64_t value) { return LinearSize::number(value); }
inline bool is_number(const SymbolicSize& size, int64_t value) {
  return size && size->is_number() && size->constant == value;
}
SymbolicSizes numbers_of(std::span<const int64_t> values);
inline SymbolicTensor shaped(SymbolicSizes sizes) { return {std::move(sizes), std::nullopt}; }
SymbolicTensor constant_tensor(const ir::TensorData& data);

class SymbolicCall {
 public:
  SymbolicCall(const ir::Node& node, SymbolicTensors& values, DimensionEquations& equations)
      : node_(node), values_(values), equations_(equations) {}

  const ir::Node& node() const { return node_; }
  // Null if they are not known.
  const SymbolicTensor* in(size_t i) const;
  const SymbolicSizes* shape(size_t i) const;
  const SymbolicSizes* numbers(size_t i) const;
  bool has(size_t i) const { return i < node_.inputs.size() && !node_.inputs[i].empty(); }

  const ir::Attribute* attribute(const char* name) const;
  int64_t integer(const char* name, int64_t fallback) const;
  // Integers from input i or the attribute; nullopt if they are not known.
  std::optional<std::vector<int64_t>> integers(size_t i, const char* name) const;
  // Counted from the outermost; nullopt if it is out of range.
  static std::optional<size_t> axis(int64_t axis, size_t rank);

  void out(size_t i, SymbolicTensor value);
  void require(const SymbolicSize& a, const SymbolicSize& b);
  // As in NumPy; sizes that are no 1 are required to be equal.
  SymbolicSizes broadcast_sizes(const SymbolicSizes& a, const SymbolicSizes& b);

 private:
  const ir::Node& node_;
  SymbolicTensors& values_;
  DimensionEquations& equations_;
};

struct Rule {
  std::string_view op;  // of ONNX or com.microsoft
  void (*infer)(SymbolicCall& c);
};
std::span<const Rule> movement_rules();
std::span<const Rule> arithmetic_rules();
std::span<const Rule> attention_rules();
// The rule of elementwise ops and of those whose output has the shape of their first input; null for other ops.
void (*unlisted_rule(const std::string& op))(SymbolicCall& c);

}  // namespace arenascope::models::symbolic
