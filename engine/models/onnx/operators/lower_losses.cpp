// SPDX-License-Identifier: MIT
// ONNX's two losses of classifiers, as gathers, weights and sums.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <vector>

namespace arenascope::models {
namespace {

// -log_probability[target] · weight[target]; ignored targets have no weight. Mean: divided by the sum of the weights.
void nll(OpCall& c, const Tensor& log_probability, size_t target_at, size_t weight_at) {
  Tensor target = c.in(target_at);
  if (!log_probability || !target || target->rank() < 1 || log_probability->rank() != target->rank() + 1)
    return c.fail("its targets must have one dimension less than its input");
  const DType dtype = log_probability.dtype();
  if (target.dtype() != DType::I64 && target.dtype() != DType::I32) target = c.cast(target, DType::I64, ":target");
  const bool ignores = c.has_attr("ignore_index");
  Tensor counts;
  if (ignores && target) {
    const auto ignored = static_cast<double>(c.attr_int("ignore_index", 0));
    const Tensor skip = c.op(Op::Equal, {target, c.scalar(ignored, target.dtype(), ":ignored")}, ":skip");
    target = c.op(Op::Where, {skip, c.scalar(0, target.dtype(), ":class_0"), target}, ":classes");
    counts = c.cast(c.op(Op::Not, {skip}, ":counted"), dtype, ":counts");
  }
  if (!target) return;
  Dims column = log_probability.sizes();
  column[1] = 1;
  const Tensor picked =
      c.op_with(Op::GatherElements, {log_probability, c.reshape(target, column, ":column")}, AxisParams{1}, ":picked");
  Tensor weight =
      c.has(weight_at) ? c.op_with(Op::Gather, {c.in(weight_at), target}, AxisParams{0}, ":weights") : Tensor();
  if (counts) weight = weight ? c.op(Op::Mul, {weight, counts}, ":counted_weights") : counts;
  Tensor loss = c.reshape(c.op(Op::Neg, {picked}, ":negative"), target.sizes(), ":each");
  const std::string reduction = c.attr_string("reduction", "mean");
  const ReduceParams all{(1u << target->rank()) - 1, false};
  if (weight) loss = c.op(Op::Mul, {loss, weight}, reduction == "none" ? "" : ":weighted");
  if (reduction == "none") return c.out(0, loss);
  if (reduction == "sum") return c.out(0, c.op_with(Op::ReduceSum, {loss}, all));
  if (reduction != "mean") return c.fail(fmt::format("the reduction '{}' is not supported", reduction));
  if (!weight) return c.out(0, c.op_with(Op::ReduceMean, {loss}, all));
  c.out(0, c.op(Op::Div, {c.op_with(Op::ReduceSum, {loss}, all, ":sum"),
                          c.op_with(Op::ReduceSum, {weight}, all, ":weight_sum")}));
}

void soft_max_cross_entropy(OpCall& c) {
  const Tensor log_probability = c.op_with(Op::LogSoftMax, {c.in(0)}, SoftMaxParams{1, 1}, ":log_probability");
  nll(c, log_probability, 1, 2);
  if (c.has_output(1)) c.out(1, log_probability);
}

constexpr HandlerEntry kLossesHandlers[] = {
    {"NegativeLogLikelihoodLoss", [](OpCall& c) { nll(c, c.in(0), 1, 2); }},
    {"SoftmaxCrossEntropyLoss", soft_max_cross_entropy},
};

}  // namespace

std::span<const HandlerEntry> loss_handlers() { return kLossesHandlers; }

}  // namespace arenascope::models
