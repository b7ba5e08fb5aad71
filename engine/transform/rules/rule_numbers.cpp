// SPDX-License-Identifier: MIT
// Ops with a number: one SCALE instead of several nodes that add and multiply, and the like.
#include <cmath>

#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

bool power_of_two(double number) {
  int exponent = 0;
  return std::abs(std::frexp(number, &exponent)) == 0.5;
}

// How often an op with a number rounds; more than once where it does what its place in a SCALE would not.
int roundings(const TensorImpl& node, const Affine& step) {
  if (node.op == Op::Div && !power_of_two(step.scale)) return 2;
  return (power_of_two(step.scale) ? 0 : 1) + (step.bias != 0 ? 1 : 0);
}

}  // namespace

// ADD, SUB, MUL, DIV and SCALE with numbers, one after the other, as far as nothing else reads what lies between.
// Before a rounding or a comparison only what a SCALE computes to the bit: half a unit would tip ties over.
std::optional<Found> find_affine(const Look& look, const TensorImpl& root) {
  Affine a{&root};
  int steps = 0, rounded = 0;
  const bool to_the_bit = look.before_step(root);
  for (; a.of == &root || look.sole(*a.of); ++steps) {
    const auto step = look.affine_step(*a.of);
    if (!step) break;
    rounded += roundings(*a.of, *step);
    if (to_the_bit && rounded > 1) break;
    a = {step->of, a.scale * step->scale, a.scale * step->bias + a.bias};
  }
  const bool alone = root.op == Op::Scale || root.op == Op::Neg;  // it is one node already
  const ScaleParams params{static_cast<float>(a.scale), static_cast<float>(a.bias)};
  if (steps < (alone ? 2 : 1) || !std::isfinite(params.scale) || !std::isfinite(params.bias)) return std::nullopt;
  const TensorImpl& x = *a.of;
  return Found{{&x}, [&x, params](Maker& m) { return m.op_with(Op::Scale, {m.twin(x)}, params); }};
}

std::optional<Found> find_power(const Look& look, const TensorImpl& root) {
  if (root.op != Op::Pow || root.dtype != DType::F32) return std::nullopt;
  const auto power = look.number(*root.sources[1]);
  const TensorImpl& x = *root.sources[0];
  if (!power || !(x.sizes == root.sizes)) return std::nullopt;
  if (*power == 2) return Found{{&x}, [&x](Maker& m) { return m.op(Op::Mul, {m.twin(x), m.twin(x)}); }};
  if (*power == -1) return Found{{&x}, [&x](Maker& m) { return m.op(Op::Reciprocal, {m.twin(x)}); }};
  return std::nullopt;
}

// MAX and MIN with a number.
std::optional<Found> find_limits(const Look& look, const TensorImpl& root) {
  if ((root.op != Op::Max && root.op != Op::Min) || root.dtype != DType::F32) return std::nullopt;
  const auto limits = look.limits(root);
  if (!limits) return std::nullopt;
  const TensorImpl& x = *limits->of;
  const ClampParams params{limits->low, limits->high};
  return Found{{&x}, [&x, params](Maker& m) { return m.op_with(Op::Clamp, {m.twin(x)}, params); }};
}

}  // namespace arenascope::rewriting
