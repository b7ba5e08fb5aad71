// SPDX-License-Identifier: MIT
// Backward rules of normalisations, soft max and reductions.
#include "engine/graph/autodiff_rules.h"

namespace arenascope::autodiff {

// Both norms: z is the normalised source, r what it was multiplied by. With h = dy·gain, the source's gradient is
// r·(h - z·mean(h·z)), and less the mean of h where the mean was taken away.
void norm(Backward& b) {
  const auto p = b.y->params.get<NormParams>();
  const bool centred = b.y->op == Op::Norm;
  const Tensor x = b.source(0);
  const Tensor middle = centred ? b.sub(x, b.sum_from(x, p.axis, Op::ReduceMean)) : x;
  const Tensor power = b.sum_from(b.mul(middle, middle), p.axis, Op::ReduceMean);
  const Tensor r = b.op(Op::Reciprocal, {b.op(Op::Sqrt, {b.scale(power, 1, static_cast<double>(p.epsilon))})});
  const Tensor z = b.mul(middle, r);
  if (b.wants(0)) {
    const Tensor h = b.source_count() > 1 ? b.mul(b.dy, b.source(1)) : b.dy;
    Tensor inner = b.sub(h, b.mul(z, b.sum_from(b.mul(h, z), p.axis, Op::ReduceMean)));
    if (centred) inner = b.sub(inner, b.sum_from(h, p.axis, Op::ReduceMean));
    b.give(0, b.mul(r, inner));
  }
  if (b.wants(1)) b.give(1, b.mul(b.dy, z));
  if (b.wants(2)) b.give(2, b.dy);
}

// Statistics are given, so it is a scale and a shift for each channel (axis 1).
void batch_norm(Backward& b) {
  if (b.wants(3) || b.wants(4)) return b.refuse("its statistics are constants");
  const auto p = b.y->params.get<BatchNormParams>();
  Dims line;
  for (int i = 0; i < b.y->rank(); ++i) line.push_back(i == 1 ? b.y.sizes()[1] : 1);
  const Tensor r = b.g.reshape(
      b.op(Op::Reciprocal, {b.op(Op::Sqrt, {b.scale(b.source(4), 1, static_cast<double>(p.epsilon))})}), line);
  ReduceParams others{0, false};
  for (int i = 0; i < b.y->rank(); ++i)
    if (i != 1) others.axes |= 1u << i;
  if (b.wants(0)) b.give(0, b.mul(b.dy, b.mul(r, b.g.reshape(b.source(1), line))));
  if (b.wants(1)) {
    const Tensor z = b.mul(b.sub(b.source(0), b.g.reshape(b.source(3), line)), r);
    b.give(1, b.g.op_with(Op::ReduceSum, {b.mul(b.dy, z)}, others));
  }
  if (b.wants(2)) b.give(2, b.g.op_with(Op::ReduceSum, {b.dy}, others));
}

// scale·y·(dy - Σ dy·y); the mask gets it without the scale.
void soft_max(Backward& b) {
  const auto p = b.y->params.get<SoftMaxParams>();
  const Tensor inner = b.mul(b.y, b.sub(b.dy, b.sum_along(b.mul(b.dy, b.y), p.axis)));
  if (b.wants(0)) b.give(0, p.scale == 1.0f ? inner : b.scale(inner, static_cast<double>(p.scale)));
  if (b.wants(1)) b.give(1, inner);
}

// scale·(dy - exp(y)·Σ dy).
void log_soft_max(Backward& b) {
  const auto p = b.y->params.get<SoftMaxParams>();
  const Tensor inner = b.sub(b.dy, b.mul(b.op(Op::Exp, {b.y}), b.sum_along(b.dy, p.axis)));
  b.give(0, p.scale == 1.0f ? inner : b.scale(inner, static_cast<double>(p.scale)));
}

void reduce(Backward& b) {
  const auto p = b.y->params.get<ReduceParams>();
  const Tensor x = b.source(0);
  Dims kept;
  int64_t count = 1;
  for (int i = 0; i < x->rank(); ++i) {
    const bool gone = (p.axes & (1u << i)) != 0;
    kept.push_back(gone ? 1 : x.sizes()[i]);
    if (gone) count *= x.sizes()[i];
  }
  Tensor line = b.g.reshape(b.dy, kept);
  if (b.y->op == Op::ReduceMean) line = b.scale(line, 1 / static_cast<double>(count > 0 ? count : 1));
  b.give(0, b.g.op_with(Op::Expand, {line}, ReshapeParams{x.sizes()}));
}

}  // namespace arenascope::autodiff
