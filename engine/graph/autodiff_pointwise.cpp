// SPDX-License-Identifier: MIT
// Backward rules of what works element by element.
#include "engine/graph/autodiff_rules.h"

#include <cmath>

namespace arenascope::autodiff {

void add(Backward& b) {
  if (b.wants(0)) b.give(0, b.dy);
  if (b.wants(1)) b.give(1, b.dy);
}

void sub(Backward& b) {
  if (b.wants(0)) b.give(0, b.dy);
  if (b.wants(1)) b.give(1, b.op(Op::Neg, {b.dy}));
}

void mul(Backward& b) {
  if (b.wants(0)) b.give(0, b.mul(b.dy, b.source(1)));
  if (b.wants(1)) b.give(1, b.mul(b.dy, b.source(0)));
}

void div(Backward& b) {
  if (b.wants(0)) b.give(0, b.op(Op::Div, {b.dy, b.source(1)}));
  if (b.wants(1)) b.give(1, b.op(Op::Neg, {b.op(Op::Div, {b.mul(b.dy, b.y), b.source(1)})}));
}

void where(Backward& b) {
  const Tensor yes = b.g.op_with(Op::Cast, {b.source(0)}, CastParams{DType::F32});
  if (b.wants(1)) b.give(1, b.mul(b.dy, yes));
  if (b.wants(2)) b.give(2, b.mul(b.dy, b.scale(yes, -1, 1)));
}

void neg(Backward& b) { b.give(0, b.op(Op::Neg, {b.dy})); }
void abs(Backward& b) { b.give(0, b.mul(b.dy, b.op(Op::Sign, {b.source(0)}))); }
void sqrt(Backward& b) { b.give(0, b.op(Op::Div, {b.scale(b.dy, 0.5), b.y})); }
void reciprocal(Backward& b) { b.give(0, b.op(Op::Neg, {b.mul(b.dy, b.mul(b.y, b.y))})); }
void exp(Backward& b) { b.give(0, b.mul(b.dy, b.y)); }
void log(Backward& b) { b.give(0, b.op(Op::Div, {b.dy, b.source(0)})); }
void sin(Backward& b) { b.give(0, b.mul(b.dy, b.op(Op::Cos, {b.source(0)}))); }
void cos(Backward& b) { b.give(0, b.op(Op::Neg, {b.mul(b.dy, b.op(Op::Sin, {b.source(0)}))})); }
void tan(Backward& b) { b.give(0, b.mul(b.dy, b.scale(b.mul(b.y, b.y), 1, 1))); }
void sinh(Backward& b) { b.give(0, b.mul(b.dy, b.op(Op::Cosh, {b.source(0)}))); }
void cosh(Backward& b) { b.give(0, b.mul(b.dy, b.op(Op::Sinh, {b.source(0)}))); }

namespace {

// factor·x² + shift.
Tensor squared(Backward& b, double factor, double shift) {
  return b.scale(b.mul(b.source(0), b.source(0)), factor, shift);
}
Tensor over_root(Backward& b, double factor, double shift) {
  return b.op(Op::Div, {b.dy, b.op(Op::Sqrt, {squared(b, factor, shift)})});
}

}  // namespace

void asin(Backward& b) { b.give(0, over_root(b, -1, 1)); }
void acos(Backward& b) { b.give(0, b.op(Op::Neg, {over_root(b, -1, 1)})); }
void atan(Backward& b) { b.give(0, b.op(Op::Div, {b.dy, squared(b, 1, 1)})); }
void asinh(Backward& b) { b.give(0, over_root(b, 1, 1)); }
void acosh(Backward& b) { b.give(0, over_root(b, 1, -1)); }
void atanh(Backward& b) { b.give(0, b.op(Op::Div, {b.dy, squared(b, -1, 1)})); }
void tanh(Backward& b) { b.give(0, b.mul(b.dy, b.scale(b.mul(b.y, b.y), -1, 1))); }
void sigmoid(Backward& b) { b.give(0, b.mul(b.dy, b.sub(b.y, b.mul(b.y, b.y)))); }
// What comes out is 0 or above, so its sign is 1 where the source passed.
void relu(Backward& b) { b.give(0, b.mul(b.dy, b.op(Op::Sign, {b.y}))); }
void scale(Backward& b) { b.give(0, b.scale(b.dy, static_cast<double>(b.y->params.get<ScaleParams>().scale))); }

void clamp(Backward& b) {
  // 1 where the source came through unchanged.
  const Tensor same = b.g.op_with(Op::Cast, {b.op(Op::Equal, {b.y, b.source(0)})}, CastParams{DType::F32});
  b.give(0, b.mul(b.dy, same));
}

// y = x·s with s the sigmoid of x: s + y·(1 - s).
void silu(Backward& b) {
  const Tensor s = b.op(Op::Sigmoid, {b.source(0)});
  b.give(0, b.mul(b.dy, b.add(s, b.mul(b.y, b.scale(s, -1, 1)))));
}

// Φ(x) + x·φ(x), the normal distribution's and its density's.
void gelu(Backward& b) {
  const Tensor x = b.source(0);
  const Tensor below = b.scale(b.op(Op::Erf, {b.scale(x, std::sqrt(0.5))}), 0.5, 0.5);
  const Tensor density = b.scale(b.op(Op::Exp, {b.scale(b.mul(x, x), -0.5)}), 1 / std::sqrt(2 * M_PI));
  b.give(0, b.mul(b.dy, b.add(below, b.mul(x, density))));
}

// With u = c·(x + k·x³) and t = tanh u: (1 + t)/2 + x·(1 - t²)/2·c·(1 + 3k·x²).
void gelu_tanh(Backward& b) {
  const double c = std::sqrt(2 / M_PI), k = 0.044715;
  const Tensor x = b.source(0), square = b.mul(x, x);
  const Tensor t = b.op(Op::Tanh, {b.mul(x, b.scale(square, c * k, c))});
  const Tensor slope = b.mul(b.scale(b.mul(t, t), -0.5, 0.5), b.scale(square, 3 * k * c, c));
  b.give(0, b.mul(b.dy, b.add(b.scale(t, 0.5, 0.5), b.mul(x, slope))));
}

}  // namespace arenascope::autodiff
