// SPDX-License-Identifier: MIT
// Linear equations between the free dimensions of an ONNX file, so that assumed sizes do not contradict each other:
// total_sequence_length = past_sequence_length + sequence_length.
#pragma once
#include <arenascope/models/model.h>
#include "engine/models/onnx/onnx_ir.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace arenascope::models {

// constant + Σ factor · dimension. Sums and products are nullopt on overflow, products also if they are not linear.
struct LinearSize {
  int64_t constant = 0;
  std::map<std::string, int64_t> factors;  // by FreeDimension::key(); none is 0

  static LinearSize number(int64_t value) { return {value, {}}; }
  static LinearSize dimension(const std::string& key) { return {0, {{key, 1}}}; }
  bool is_number() const { return factors.empty(); }
  bool operator==(const LinearSize&) const = default;

  std::optional<LinearSize> plus(const LinearSize& other, int64_t factor = 1) const;
  std::optional<LinearSize> minus(const LinearSize& other) const { return plus(other, -1); }
  std::optional<LinearSize> times(const LinearSize& other) const;
  // nullopt if one of its dimensions has no size.
  std::optional<int64_t> value(const std::map<std::string, int64_t>& sizes) const;
};

// "past_sequence_length + 1", "2*n - m" and single names; nullopt for other text.
std::optional<LinearSize> parse_linear_size(const std::string& text);

// Equations in the order in which they are added: one that contradicts the earlier ones is ignored.
class DimensionEquations {
 public:
  // `keys`: the free dimensions in file order; of two equal ones the later is expressed by the earlier. `sizes`: the
  // specified sizes of other dimensions.
  DimensionEquations(std::vector<std::string> keys, std::map<std::string, int64_t> sizes)
      : keys_(std::move(keys)), sizes_(std::move(sizes)) {}

  void add(const LinearSize& a, const LinearSize& b);
  // Free dimensions as expressions of those that no equation determines.
  const std::map<std::string, LinearSize>& solved() const { return solved_; }
  // The free dimensions and those with a specified size.
  std::vector<std::string> names() const;
  // The size or expression of a symbol or key; nullopt if the file's inputs do not have it.
  std::optional<LinearSize> of_symbol(const std::string& symbol) const;
  // The same for text that is an expression of several symbols, "past_sequence_length + 1".
  std::optional<LinearSize> of_expression(const std::string& text) const;

 private:
  std::optional<LinearSize> reduced(const LinearSize& size) const;
  std::optional<std::string> dependent(const LinearSize& zero) const;

  std::vector<std::string> keys_;
  std::map<std::string, int64_t> sizes_;
  std::map<std::string, LinearSize> solved_;
};

// The sizes of symbols that the options specify, by shapes of given inputs too.
std::map<std::string, int64_t> specified_sizes(const ir::File& file, const OpenOptions& options);
// The equations of a file, strongest first: how nodes relate shapes (symbolic_shapes.h), symbols that are expressions,
// names such as "total_sequence_length", and shapes that the file declares for results.
DimensionEquations equations_of(const ir::File& file, const std::vector<std::string>& keys, const OpenOptions& options);

}  // namespace arenascope::models
