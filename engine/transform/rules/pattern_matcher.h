// SPDX-License-Identifier: MIT
// Read-only queries on a graph for the rewrite rules. They see through nodes that only broadcast, copy or scale a
// value, whatever ops and order an exporter used.
#pragma once
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <arenascope/graph/op_params.h>
#include <arenascope/transform/mutation_analysis.h>
#include <arenascope/transform/rewrite.h>

namespace arenascope::rewriting {

// scale · of + bias, elementwise; `of` has the same sizes.
struct Affine {
  const TensorImpl* of;
  double scale = 1, bias = 0;
};

// number · Π over ÷ Π under; factors are broadcast to one another.
struct Product {
  double number = 1;
  std::vector<const TensorImpl*> over, under;
};

// A reduction whose result is `factor` times that of the op.
struct Reduced {
  const TensorImpl* of;
  Op op;
  uint32_t axes;
  double factor;
};

// c0 + c1·x + c2·x² + c3·x³.
using Polynomial = std::array<double, 4>;

class PatternMatcher {
 public:
  PatternMatcher(const Graph& graph, const RewriteOptions& options);

  const Graph& graph() const { return graph_; }
  const RewriteOptions& options() const { return options_; }
  const MutationAnalysis& mutations() const { return mutations_; }

  // True if it is computed from weights alone, and no node writes into them.
  bool constant(const TensorImpl& tensor) const;
  // True if its own result must be computed: an output, or a node to inspect.
  bool kept(const TensorImpl& node) const;
  // True if it has exactly one use and is not kept.
  bool sole(const TensorImpl& node) const { return graph_.use_count(node) == 1 && !kept(node); }
  // True if a discontinuous op (rounding, comparison, …) reads it, directly or through pointwise or movement ops. Such
  // an op may change its result after the smallest difference.
  bool before_step(const TensorImpl& node) const;
  // The first node with the same op, parameters and inputs; the node itself if there is none before it.
  const TensorImpl* first_like(const TensorImpl& node) const;

  // The value that all its elements have; none if they differ or are unknown.
  std::optional<double> number(const TensorImpl& tensor) const;
  // All elements of a constant; empty if they are unknown.
  const std::vector<double>& numbers(const TensorImpl& tensor) const;

  // Looks through EXPAND, CONT, COPY, and RESHAPE that only adds or drops dimensions of size 1.
  const TensorImpl& spread(const TensorImpl& tensor) const;
  Affine affine(const TensorImpl& tensor) const;
  // The affine form after each op on the way, starting with the tensor itself.
  std::vector<Affine> affine_forms(const TensorImpl& tensor) const;
  // The affine form of the last op alone; none if the op is not affine.
  std::optional<Affine> affine_step(const TensorImpl& tensor) const;
  // Factors in `whole` are not decomposed.
  Product product(const TensorImpl& root, std::initializer_list<const TensorImpl*> whole = {}) const;
  std::optional<Polynomial> polynomial(const TensorImpl& tensor, const TensorImpl& x) const;
  // The tensor that it is the square of; null: none.
  const TensorImpl* square(const TensorImpl& tensor) const;
  // max(of, low), min(of, high).
  struct Limits {
    const TensorImpl* of;
    double low, high;
  };
  std::optional<Limits> limits(const TensorImpl& tensor) const;

  std::optional<Reduced> reduced(const TensorImpl& tensor) const;
  // The axes over which it is the mean of its input, and that input.
  std::optional<Reduced> mean(const TensorImpl& tensor) const;
  // True if a tensor that broadcasts along `axes` of `sizes` is broadcast along exactly these.
  bool broadcasts_along(const TensorImpl& tensor, const Dims& sizes, uint32_t axes) const;

 private:
  void find_steps();
  void flatten(const TensorImpl& tensor, bool up, std::span<const TensorImpl* const> whole, int depth,
               Product& out) const;
  std::optional<Polynomial> polynomial(const TensorImpl& tensor, const TensorImpl& x, int depth) const;

  const Graph& graph_;
  const RewriteOptions& options_;
  const MutationAnalysis mutations_;
  std::vector<uint8_t> constant_;                                                // by node
  std::vector<uint8_t> before_step_;                                             // by node
  std::vector<const TensorImpl*> first_;                                         // by node: first_like()
  mutable std::unordered_map<const TensorImpl*, std::vector<double>> known_;     // requested leaf tensors
  mutable std::unordered_map<const TensorImpl*, std::optional<double>> single_;  // single numbers
};

// True if two numbers of a file are equal up to the digits written there.
bool near(double a, double b, double tolerance = 1e-4);
// Sizes without dimensions of size 1.
Dims plain_sizes(const TensorImpl& tensor);

}  // namespace arenascope::rewriting
