// SPDX-License-Identifier: MIT
// A graph as rules look at it: through what only broadcasts or scales a value, in whichever order and with whichever op
// an exporter wrote it. Nothing here changes the graph.
#pragma once
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <arenascope/graph/op_params.h>
#include <arenascope/transform/rewrite.h>
#include <arenascope/transform/versions.h>

namespace arenascope::rewriting {

// scale · of + bias, element by element; `of` has the same sizes.
struct Affine {
  const TensorImpl* of;
  double scale = 1, bias = 0;
};

// number · Π over ÷ Π under; factors are broadcast to one another.
struct Product {
  double number = 1;
  std::vector<const TensorImpl*> over, under;
};

// A reduction whose result is `factor` times what the op says.
struct Reduced {
  const TensorImpl* of;
  Op op;
  uint32_t axes;
  double factor;
};

// c0 + c1·x + c2·x² + c3·x³.
using Polynomial = std::array<double, 4>;

class Look {
 public:
  Look(const Graph& graph, const RewriteOptions& options);

  const Graph& graph() const { return graph_; }
  const RewriteOptions& options() const { return options_; }
  const Versions& versions() const { return versions_; }

  // Whether it is computed from weights alone, into which nothing is written.
  bool constant(const TensorImpl& tensor) const;
  // Whether its own result is wanted.
  bool kept(const TensorImpl& node) const;
  // Whether nothing but one node reads it, once, and nobody wants to see it.
  bool sole(const TensorImpl& node) const { return graph_.use_count(node) == 1 && !kept(node); }
  // Whether a rounding, a comparison or the like, which the smallest difference may tip over, reads it, itself or behind
  // what works element by element or moves numbers.
  bool before_step(const TensorImpl& node) const;
  // The first node with this op and these parameters and sources: itself, if there is none before it.
  const TensorImpl* first_like(const TensorImpl& node) const;

  // The number that all of its elements are.
  std::optional<double> number(const TensorImpl& tensor) const;
  // All of a constant's numbers, where they are known.
  const std::vector<double>& numbers(const TensorImpl& tensor) const;

  // What it broadcasts or copies: behind EXPAND, CONT, COPY and a RESHAPE that adds or drops dimensions of one.
  const TensorImpl& spread(const TensorImpl& tensor) const;
  Affine affine(const TensorImpl& tensor) const;
  // The same after each op on the way, the tensor itself first.
  std::vector<Affine> affine_ways(const TensorImpl& tensor) const;
  // The same of the last op alone; none where it is no such op.
  std::optional<Affine> affine_step(const TensorImpl& tensor) const;
  // Factors that are `whole` are not taken apart.
  Product product(const TensorImpl& root, std::initializer_list<const TensorImpl*> whole = {}) const;
  std::optional<Polynomial> polynomial(const TensorImpl& tensor, const TensorImpl& x) const;
  // Of which number it is the square.
  const TensorImpl* square(const TensorImpl& tensor) const;
  // max(of, low), min(of, high).
  struct Limits {
    const TensorImpl* of;
    double low, high;
  };
  std::optional<Limits> limits(const TensorImpl& tensor) const;

  std::optional<Reduced> reduced(const TensorImpl& tensor) const;
  // The axes over which it is the mean of its source, which it returns.
  std::optional<Reduced> mean(const TensorImpl& tensor) const;
  // Whether a tensor that broadcasts along `axes` of `sizes` does so in its place.
  bool broadcasts_along(const TensorImpl& tensor, const Dims& sizes, uint32_t axes) const;

 private:
  void find_steps();
  void flatten(const TensorImpl& tensor, bool up, std::span<const TensorImpl* const> whole, int depth,
               Product& out) const;
  std::optional<Polynomial> polynomial(const TensorImpl& tensor, const TensorImpl& x, int depth) const;

  const Graph& graph_;
  const RewriteOptions& options_;
  const Versions versions_;
  std::vector<uint8_t> constant_;                                                // by node
  std::vector<uint8_t> before_step_;                                             // by node
  std::vector<const TensorImpl*> first_;                                         // by node: first_like()
  mutable std::unordered_map<const TensorImpl*, std::vector<double>> known_;     // of leafs that were asked for
  mutable std::unordered_map<const TensorImpl*, std::optional<double>> single_;  // of one number
};

// Whether two numbers of a file are the same one, written with few digits.
bool near(double a, double b, double tolerance = 1e-4);
// Sizes without ones.
Dims plain_sizes(const TensorImpl& tensor);

}  // namespace arenascope::rewriting
