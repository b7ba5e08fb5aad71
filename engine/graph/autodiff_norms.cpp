// SPDX-License-Identifier: MIT
// Backward rules of normalisations and soft max.
#include "engine/graph/autodiff_rules.h"

namespace arenascope::autodiff {

// NORM and RMS_NORM: z is the normalised input, r the normalisation factor. With h = dy·gain, the input's gradient is
// r·(h - z·mean(h·z)); NORM also subtracts the mean of h.
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

// Like norm(), over the channels of a group and all spatial positions.
void group_norm(Backward& b) {
  const auto p = b.y->params.get<GroupNormParams>();
  const Tensor x = b.source(0);
  const Dims sizes = x.sizes(), grouped{sizes[0], p.groups, x->element_count() / (sizes[0] * p.groups)};
  Dims line;
  ReduceParams others{0, false};
  for (int i = 0; i < x->rank(); ++i) {
    line.push_back(i == 1 ? sizes[1] : 1);
    if (i != 1) others.axes |= 1u << i;
  }
  const Tensor groups = b.g.reshape(x, grouped), middle = b.sub(groups, b.sum_from(groups, 2, Op::ReduceMean));
  const Tensor power = b.sum_from(b.mul(middle, middle), 2, Op::ReduceMean);
  const Tensor r = b.op(Op::Reciprocal, {b.op(Op::Sqrt, {b.scale(power, 1, static_cast<double>(p.epsilon))})});
  const Tensor z = b.mul(middle, r);
  if (b.wants(0)) {
    const Tensor wide = b.source_count() > 1 ? b.mul(b.dy, b.g.reshape(b.source(1), line)) : b.dy;
    const Tensor h = b.g.reshape(wide, grouped);
    const Tensor along = b.mul(z, b.sum_from(b.mul(h, z), 2, Op::ReduceMean));
    const Tensor inner = b.sub(b.sub(h, along), b.sum_from(h, 2, Op::ReduceMean));
    b.give(0, b.g.reshape(b.mul(r, inner), sizes));
  }
  if (b.wants(1)) b.give(1, b.g.op_with(Op::ReduceSum, {b.mul(b.dy, b.g.reshape(z, sizes))}, others));
  if (b.wants(2)) b.give(2, b.g.op_with(Op::ReduceSum, {b.dy}, others));
}

// A scale and a shift per channel (axis 1). Statistics computed from the batch by the graph have gradients too.
void batch_norm(Backward& b) {
  const auto p = b.y->params.get<BatchNormParams>();
  Dims line;
  for (int i = 0; i < b.y->rank(); ++i) line.push_back(i == 1 ? b.y.sizes()[1] : 1);
  const Tensor r = b.g.reshape(
      b.op(Op::Reciprocal, {b.op(Op::Sqrt, {b.scale(b.source(4), 1, static_cast<double>(p.epsilon))})}), line);
  ReduceParams others{0, false};
  for (int i = 0; i < b.y->rank(); ++i)
    if (i != 1) others.axes |= 1u << i;
  if (b.wants(0)) b.give(0, b.mul(b.dy, b.mul(r, b.g.reshape(b.source(1), line))));
  const Dims channels{b.y.sizes()[1]};
  const auto by_channel = [&](const Tensor& t) { return b.g.op_with(Op::ReduceSum, {t}, others); };
  const Tensor total = b.wants(2) || b.wants(3) ? by_channel(b.dy) : Tensor();
  Tensor spread;  // Σ dy·z
  if (b.wants(1) || b.wants(4))
    spread = by_channel(b.mul(b.dy, b.mul(b.sub(b.source(0), b.g.reshape(b.source(3), line)), r)));
  if (b.wants(1)) b.give(1, spread);
  if (b.wants(2)) b.give(2, total);
  const auto factor = [&] { return b.mul(b.source(1), b.g.reshape(r, channels)); };
  if (b.wants(3)) b.give(3, b.op(Op::Neg, {b.mul(total, factor())}));
  if (b.wants(4)) b.give(4, b.scale(b.mul(spread, b.mul(factor(), b.g.reshape(r, channels))), -0.5));
}

// scale·y·(dy - Σ dy·y); the gradient of the mask omits the scale.
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

}  // namespace arenascope::autodiff
