// SPDX-License-Identifier: MIT
// Arithmetic with constant scalars: one SCALE or CLAMP instead of several nodes.
#include <cmath>

#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

bool power_of_two(double number) {
  int exponent = 0;
  return std::abs(std::frexp(number, &exponent)) == 0.5;
}

// Number of roundings of an op with a scalar; more than one if a SCALE would round differently.
int roundings(const TensorImpl& node, const Affine& step) {
  if (node.op == Op::Div && !power_of_two(step.scale)) return 2;
  return (power_of_two(step.scale) ? 0 : 1) + (step.bias != 0 ? 1 : 0);
}

}  // namespace

// A chain of ADD, SUB, MUL, DIV and SCALE with scalars, as far as nothing else reads the intermediates. Before a
// rounding or a comparison only chains that a SCALE computes bit-exactly: half a unit in the last place could change
// the result.
std::optional<Replacement> find_affine(const PatternMatcher& matcher, const TensorImpl& root) {
  Affine a{&root};
  int steps = 0, rounded = 0;
  const bool to_the_bit = matcher.before_step(root);
  for (; a.of == &root || matcher.sole(*a.of); ++steps) {
    const auto step = matcher.affine_step(*a.of);
    if (!step) break;
    rounded += roundings(*a.of, *step);
    if (to_the_bit && rounded > 1) break;
    a = {step->of, a.scale * step->scale, a.scale * step->bias + a.bias};
  }
  const bool alone = root.op == Op::Scale || root.op == Op::Neg;  // a single node already
  const ScaleParams params{static_cast<float>(a.scale), static_cast<float>(a.bias)};
  if (steps < (alone ? 2 : 1) || !std::isfinite(params.scale) || !std::isfinite(params.bias)) return std::nullopt;
  const TensorImpl& x = *a.of;
  return Replacement{{&x}, [&x, params](ReplacementBuilder& m) { return m.op_with(Op::Scale, {m.mapped(x)}, params); }};
}

std::optional<Replacement> find_power(const PatternMatcher& matcher, const TensorImpl& root) {
  if (root.op != Op::Pow || root.dtype != DType::F32) return std::nullopt;
  const auto power = matcher.number(*root.sources[1]);
  const TensorImpl& x = *root.sources[0];
  if (!power || !(x.sizes == root.sizes)) return std::nullopt;
  if (*power == 2)
    return Replacement{{&x}, [&x](ReplacementBuilder& m) { return m.op(Op::Mul, {m.mapped(x), m.mapped(x)}); }};
  if (*power == -1)
    return Replacement{{&x}, [&x](ReplacementBuilder& m) { return m.op(Op::Reciprocal, {m.mapped(x)}); }};
  return std::nullopt;
}

// MAX and MIN with a scalar.
std::optional<Replacement> find_clamp(const PatternMatcher& matcher, const TensorImpl& root) {
  if ((root.op != Op::Max && root.op != Op::Min) || root.dtype != DType::F32) return std::nullopt;
  const auto limits = matcher.limits(root);
  if (!limits) return std::nullopt;
  const TensorImpl& x = *limits->of;
  const ClampParams params{limits->low, limits->high};
  return Replacement{{&x}, [&x, params](ReplacementBuilder& m) { return m.op_with(Op::Clamp, {m.mapped(x)}, params); }};
}

}  // namespace arenascope::rewriting
