// SPDX-License-Identifier: MIT
// ONNX's normalisations.
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/batch_statistics.h"
#include "engine/models/onnx/lowering.h"

#include <limits>
#include <vector>

namespace arenascope::models {
namespace {

Tensor reduced(OpCall& c, Op op, const Tensor& x, uint32_t axes, bool keep, const char* suffix) {
  return c.op_with(op, {x}, ReduceParams{axes, keep}, suffix);
}

// Before opset 13 the dimensions from the axis on count as one.
void soft_max(OpCall& c, Op op) {
  const Tensor x = c.in(0);
  if (!x) return;
  const bool old = c.opset() < 13;
  const int axis = c.axis(c.attr_int("axis", old ? 1 : -1), x->rank());
  if (!c.ok()) return;
  bool plain = true;
  for (int i = axis + 1; i < x->rank(); ++i) plain = plain && x.sizes()[i] == 1;
  if (!old || plain) return c.out(0, c.op_with(op, {x}, SoftMaxParams{axis, 1}));
  int64_t before = 1, after = 1;
  for (int i = 0; i < x->rank(); ++i) (i < axis ? before : after) *= x.sizes()[i];
  const Tensor y = c.op_with(op, {c.reshape(x, {before, after}, ":rows")}, SoftMaxParams{1, 1}, ":flat");
  c.out(0, c.reshape(y, x.sizes()));
}

// 1 at the first maximum along the axis, 0 elsewhere.
void hard_max(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const int axis = c.axis(c.attr_int("axis", c.opset() < 13 ? 1 : -1), x->rank());
  if (!c.ok()) return;
  if (c.opset() < 13 && axis != x->rank() - 1) return c.fail("an axis that is not the last, before opset 13");
  const int64_t n = x.sizes()[axis];
  if (n > HostArray::kMaxElements) return c.fail("its axis is too long");
  HostArray ramp = HostArray::make(DType::I64, Dims::filled(x->rank(), 1));
  ramp.sizes[axis] = n;
  ramp.ints.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) ramp.ints[static_cast<size_t>(i)] = i;
  const Tensor best = c.op_with(Op::ArgMax, {x}, ArgParams{axis, true, false}, ":best");
  c.out(0, c.cast(c.op(Op::Equal, {c.constant(std::move(ramp), ":places"), best}, ":hit"), x.dtype()));
}

void batch_norm(OpCall& c) {
  const Tensor x = c.in(0), scale = c.in(1), shift = c.in(2), mean = c.in(3), variance = c.in(4);
  if (!x || !variance) return;
  const BatchNormParams params{c.attr_float("epsilon", 1e-5f)};
  const bool learning = c.lowering().options().learning;
  const bool training = learning || (c.opset() >= 14 && c.attr_int("training_mode", 0) != 0);
  if (!training) {
    for (size_t i = 1; i < c.output_count(); ++i)
      if (c.has_output(i)) return c.fail("outputs with training statistics are not supported");
    return c.out(0, c.op_with(Op::BatchNorm, {x, scale, shift, mean, variance}, params));
  }
  if (x->rank() < 2) return c.fail("its input needs a channel dimension");
  const auto [m, v] = batch_statistics(c.g(), x, c.name_of(""));
  c.out(0, c.op_with(Op::BatchNorm, {x, scale, shift, m, v}, params));
  const auto running = [&](size_t i, const Tensor& old, const Tensor& now, const char* what) {
    if (!c.has_output(i) && !learning) return;
    const Tensor next = next_statistic(c.g(), old, now, c.attr_float("momentum", 0.9f), c.name_of(what));
    if (learning && next && old->has(kFlagWeight)) c.lowering().note_statistic(old, next);
    if (c.has_output(i)) c.out(i, next);
  };
  running(1, mean, m, ":running_mean");
  running(2, variance, v, ":running_variance");
}

void instance_norm(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x || x->rank() < 2) return c.fail("its input needs a channel dimension");
  if (x.sizes()[1] < 1 || x.sizes()[1] > (1 << 30)) return c.fail("it has no channels");
  c.out(0, c.op_with(Op::GroupNorm, {x, c.in(1), c.in(2)},
                     GroupNormParams{static_cast<int32_t>(x.sizes()[1]), c.attr_float("epsilon", 1e-5f)}));
}

void group_norm(OpCall& c) {
  const Tensor x = c.in(0);
  const int64_t groups = c.attr_int("num_groups", 0);
  if (!x || x->rank() < 2 || groups < 1 || groups > (1 << 30) || x.sizes()[1] % groups)
    return c.fail(fmt::format("{} groups do not divide its channels", groups));
  const auto per_channel = [&](size_t i, const char* suffix) {
    const Tensor t = c.in(i);
    if (!t || !(t.sizes() == Dims{groups}) || groups == x.sizes()[1]) return t;
    const int64_t each = x.sizes()[1] / groups;  // opset 18 has one number a group
    return c.reshape(c.expand(c.reshape(t, {groups, 1}, suffix), {groups, each}, suffix), {groups * each}, suffix);
  };
  c.out(0, c.op_with(Op::GroupNorm, {x, per_channel(1, ":scale"), per_channel(2, ":bias")},
                     GroupNormParams{static_cast<int32_t>(groups), c.attr_float("epsilon", 1e-5f)}));
}

void layer_norm(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const int axis = c.axis(c.attr_int("axis", -1), x->rank());
  const float epsilon = c.attr_float("epsilon", 1e-5f);
  if (!c.ok()) return;
  const NormParams params{axis, epsilon};
  c.out(0, c.has(2) ? c.op_with(Op::Norm, {x, c.in(1), c.in(2)}, params) : c.op_with(Op::Norm, {x, c.in(1)}, params));
  if (!c.has_output(1) && !c.has_output(2)) return;
  uint32_t axes = 0;
  for (int i = axis; i < x->rank(); ++i) axes |= 1u << i;
  const Tensor mean = reduced(c, Op::ReduceMean, x, axes, true, ":mean");
  c.out(1, mean);
  if (!c.has_output(2)) return;
  const Tensor apart = c.op(Op::Sub, {x, mean}, ":apart");
  const Tensor variance = reduced(c, Op::ReduceMean, c.op(Op::Mul, {apart, apart}, ":square"), axes, true, ":variance");
  const Tensor deviation =
      c.op(Op::Sqrt, {c.op_with(Op::Scale, {variance}, ScaleParams{1, epsilon}, ":shifted")}, ":deviation");
  c.out(2, c.op(Op::Reciprocal, {deviation}, ":inverse_deviation"));
}

void rms_norm(OpCall& c) {
  const int axis = c.axis(c.attr_int("axis", -1), c.rank(0));
  c.out(0, c.op_with(Op::RmsNorm, {c.in(0), c.in(1)}, NormParams{axis, c.attr_float("epsilon", 1e-5f)}));
}

void lp_norm(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const int axis = c.axis(c.attr_int("axis", -1), x->rank());
  const int64_t p = c.attr_int("p", 2);
  if (!c.ok()) return;
  if (p != 1 && p != 2) return c.fail(fmt::format("a norm with p = {} is not supported: expected 1 or 2", p));
  const Tensor length = p == 2 ? reduced(c, Op::ReduceL2, x, 1u << axis, true, ":length")
                               : reduced(c, Op::ReduceSum, c.op(Op::Abs, {x}, ":abs"), 1u << axis, true, ":length");
  // Zeros have no direction and stay zeros.
  const Tensor safe =
      c.op(Op::Max, {length, c.scalar(static_cast<double>(std::numeric_limits<float>::min()), x.dtype(), ":least")},
           ":safe");
  c.out(0, c.op(Op::Div, {x, safe}));
}

// (x - mean) / (deviation + 1e-9) over the given axes.
void mean_variance_norm(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  std::vector<int64_t> given = c.attr_ints("axes");
  if (given.empty()) given = {0, 2, 3};
  uint32_t axes = 0;
  for (int64_t a : given) axes |= 1u << c.axis(a, x->rank());
  if (!c.ok()) return;
  const Tensor apart = c.op(Op::Sub, {x, reduced(c, Op::ReduceMean, x, axes, true, ":mean")}, ":apart");
  const Tensor variance = reduced(c, Op::ReduceMean, c.op(Op::Mul, {apart, apart}, ":square"), axes, true, ":variance");
  const Tensor deviation =
      c.op_with(Op::Scale, {c.op(Op::Sqrt, {variance}, ":root")}, ScaleParams{1, 1e-9f}, ":deviation");
  c.out(0, c.op(Op::Div, {apart, deviation}));
}

constexpr HandlerEntry kNormsHandlers[] = {
    {"BatchNormalization", batch_norm},
    {"GroupNormalization", group_norm},
    {"Hardmax", hard_max},
    {"InstanceNormalization", instance_norm},
    {"LayerNormalization", layer_norm},
    {"LogSoftmax", [](OpCall& c) { soft_max(c, Op::LogSoftMax); }},
    {"LpNormalization", lp_norm},
    {"MeanVarianceNormalization", mean_variance_norm},
    {"RMSNormalization", rms_norm},
    {"SimplifiedLayerNormalization", rms_norm},  // ONNX Runtime's, before ONNX had it
    {"Softmax", [](OpCall& c) { soft_max(c, Op::SoftMax); }},
};

}  // namespace

std::span<const HandlerEntry> norm_handlers() { return kNormsHandlers; }

}  // namespace arenascope::models
