// SPDX-License-Identifier: MIT
// Backward rules of pointwise ops.
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

// e·x^(e - 1), and y·ln x for the exponent.
void pow(Backward& b) {
  const auto number = [&](size_t i) { return b.g.op_with(Op::Cast, {b.source(i)}, CastParams{DType::F32}); };
  if (b.wants(0)) {
    const Tensor e = number(1);
    b.give(0, b.mul(b.dy, b.mul(e, b.op(Op::Pow, {b.source(0), b.scale(e, 1, -1)}))));
  }
  if (b.wants(1)) b.give(1, b.mul(b.dy, b.mul(b.y, b.op(Op::Log, {b.source(0)}))));
}

// The gradient goes to the selected operand, the first if both are equal.
void extreme(Backward& b) {
  const Tensor first = b.truth(Op::Equal, b.y, b.source(0));
  if (b.wants(0)) b.give(0, b.mul(b.dy, first));
  if (b.wants(1)) b.give(1, b.mul(b.dy, b.scale(first, -1, 1)));
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
// The result is at least 0, so its sign is 1 where the input is positive.
void relu(Backward& b) {
  // After MAX_POOL only the largest elements have a gradient, and max_pool() has already zeroed it where they are 0.
  const bool done = b.dy->op == Op::MaxPoolBack && b.dy->sources[0] == b.y.impl();
  b.give(0, done ? b.dy : b.mul(b.dy, b.op(Op::Sign, {b.y})));
}
// The same seed gives the same mask.
void dropout(Backward& b) {
  b.give(0, b.g.op_with(Op::Dropout, {b.dy, b.source(1)}, b.y->params.get<DropoutParams>()));
}
void scale(Backward& b) { b.give(0, b.scale(b.dy, static_cast<double>(b.y->params.get<ScaleParams>().scale))); }

void clamp(Backward& b) {
  b.give(0, b.mul(b.dy, b.truth(Op::Equal, b.y, b.source(0))));  // where the value was not clamped
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

// 2/√π·exp(-x²).
void erf(Backward& b) { b.give(0, b.mul(b.dy, b.scale(b.op(Op::Exp, {squared(b, -1, 0)}), 2 / std::sqrt(M_PI)))); }

namespace {

Tensor above_zero(Backward& b, const Tensor& x) { return b.truth(Op::Greater, x, b.constant(0)); }

// alpha·x + beta is strictly between 0 and 1.
Tensor hard_slope(Backward& b, const Tensor& line) {
  const double alpha = static_cast<double>(b.y->params.get<AlphaParams>().alpha);
  return b.scale(b.mul(above_zero(b, line), b.truth(Op::Less, line, b.constant(1))), alpha);
}
Tensor hard_line(Backward& b) {
  const auto p = b.y->params.get<AlphaParams>();
  return b.scale(b.source(0), static_cast<double>(p.alpha), static_cast<double>(p.beta));
}

}  // namespace

void leaky_relu(Backward& b) {
  const double alpha = static_cast<double>(b.y->params.get<AlphaParams>().alpha);
  b.give(0, b.mul(b.dy, b.scale(above_zero(b, b.source(0)), 1 - alpha, alpha)));
}

// For x < 0 the function is alpha·(eˣ - 1), with derivative y + alpha.
void elu(Backward& b) {
  const double alpha = static_cast<double>(b.y->params.get<AlphaParams>().alpha);
  const Tensor slope =
      b.op(Op::Where, {b.op(Op::Less, {b.source(0), b.constant(0)}), b.scale(b.y, 1, alpha), b.constant(1)});
  b.give(0, b.mul(b.dy, slope));
}

void softplus(Backward& b) { b.give(0, b.mul(b.dy, b.op(Op::Sigmoid, {b.source(0)}))); }

// 1 ÷ (1 + |x|)².
void softsign(Backward& b) {
  const Tensor over = b.scale(b.op(Op::Abs, {b.source(0)}), 1, 1);
  b.give(0, b.op(Op::Div, {b.dy, b.mul(over, over)}));
}

// y = x·t with t = tanh(softplus x): t + x·(1 - t²)·sigmoid x.
void mish(Backward& b) {
  const Tensor x = b.source(0), t = b.op(Op::Tanh, {b.op(Op::Softplus, {x})});
  const Tensor slope = b.mul(b.scale(b.mul(t, t), -1, 1), b.op(Op::Sigmoid, {x}));
  b.give(0, b.mul(b.dy, b.add(t, b.mul(x, slope))));
}

void hard_sigmoid(Backward& b) { b.give(0, b.mul(b.dy, hard_slope(b, hard_line(b)))); }

void hard_swish(Backward& b) {
  const Tensor line = hard_line(b);
  const Tensor s = b.g.op_with(Op::Clamp, {line}, ClampParams{0, 1});
  b.give(0, b.mul(b.dy, b.add(s, b.mul(b.source(0), hard_slope(b, line)))));
}

}  // namespace arenascope::autodiff
