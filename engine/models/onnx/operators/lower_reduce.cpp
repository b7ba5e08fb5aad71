// SPDX-License-Identifier: MIT
// ONNX operators that reduce dimensions, search or add up along one.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <vector>

namespace arenascope::models {
namespace {

// The axes to reduce; none only if the file requests that (noop_with_empty_axes).
uint32_t reduced_axes(OpCall& c, int64_t since) {
  const int rank = c.rank(0);
  uint32_t axes = 0;
  for (int a : c.axes(1, since, rank)) axes |= 1u << a;
  if (axes == 0 && !c.attr_int("noop_with_empty_axes", 0)) axes = (1u << rank) - 1;
  return axes;
}

// The maximum or minimum of no integers is the limit of the type.
void extreme_of_none(OpCall& c, bool largest, uint32_t axes) {
  const Dims& from = c.sizes(0);
  const DType type = c.value(0).dtype;
  const auto bits = static_cast<int>(8 * element_bytes(type));
  const bool is_signed = type == DType::I8 || type == DType::I16 || type == DType::I32 || type == DType::I64;
  HostArray one = HostArray::make(type, {});
  if (largest)
    one.ints[0] = is_signed ? -(int64_t{1} << (bits - 2)) * 2 : 0;
  else
    one.ints[0] = static_cast<int64_t>(~uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0)));
  const bool keep = c.attr_int("keepdims", 1) != 0;
  Dims sizes;
  for (int d = 0; d < from.rank(); ++d)
    if ((axes >> d & 1U) == 0 || keep) sizes.push_back((axes >> d & 1U) == 0 ? from[d] : 1);
  c.out(0, c.op(Op::Cont, {c.expand(c.constant(std::move(one), ":none"), sizes, ":each")}));
}

template <Op kOp, int64_t kSince>
void reduce(OpCall& c) {
  const uint32_t axes = reduced_axes(c, kSince);
  if (axes == 0 && c.rank(0) > 0) return c.out(0, c.inputs()[0]);
  constexpr bool kExtreme = kOp == Op::ReduceMax || kOp == Op::ReduceMin;
  const DType type = c.value(0).dtype;
  if (kExtreme && c.ok() && element_count(c.sizes(0)) == 0 && !info(type).floating && type != DType::Bool)
    return extreme_of_none(c, kOp == Op::ReduceMax, axes);
  c.out(0, c.op_with(kOp, {c.in(0)}, ReduceParams{axes, c.attr_int("keepdims", 1) != 0}));
}

// A reduction with a function before the sum and one after it.
template <Op kBefore, Op kAfter>
void reduce_sum_of(OpCall& c) {
  Tensor x = c.in(0);
  const ReduceParams params{reduced_axes(c, 18), c.attr_int("keepdims", 1) != 0};
  if (kBefore == Op::Mul)
    x = c.op(Op::Mul, {x, x}, ":square");
  else if (kBefore != Op::None)
    x = c.op(kBefore, {x}, ":each");
  if (kAfter == Op::None) {
    if (params.axes == 0) return c.out(0, x);
    return c.out(0, c.op_with(Op::ReduceSum, {x}, params));
  }
  if (params.axes != 0) x = c.op_with(Op::ReduceSum, {x}, params, ":sum");
  c.out(0, c.op(kAfter, {x}));
}

// max + log(Σ exp(x - max)): no overflow.
void reduce_log_sum_exp(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const uint32_t axes = reduced_axes(c, 18);
  const bool keep = c.attr_int("keepdims", 1) != 0;
  if (x->element_count() == 0)  // the logarithm of an empty sum
    return c.out(0, c.op(Op::Log, {c.op_with(Op::ReduceSum, {x}, ReduceParams{axes, keep}, ":sum")}));
  const Tensor most = c.op_with(Op::ReduceMax, {x}, ReduceParams{axes, true}, ":max");
  const Tensor each = c.op(Op::Exp, {c.op(Op::Sub, {x, most}, ":apart")}, ":exp");
  const Tensor sum = c.op(Op::Log, {c.op_with(Op::ReduceSum, {each}, ReduceParams{axes, keep}, ":sum")}, ":log");
  if (!sum) return;
  c.out(0, c.op(Op::Add, {sum, c.reshape(most, sum.sizes(), ":max_kept")}));
}

template <Op kOp>
void arg(OpCall& c) {
  const int axis = c.axis(c.attr_int("axis", 0), c.rank(0));
  c.out(0, c.op_with(kOp, {c.in(0)},
                     ArgParams{axis, c.attr_int("keepdims", 1) != 0, c.attr_int("select_last_index", 0) != 0}));
}

void top_k(OpCall& c) {
  const int axis = c.axis(c.attr_int("axis", -1), c.rank(0));
  int64_t k = c.attr_int("k", 0);
  if (c.opset() >= 10) {
    const auto given = c.ints(1);
    if (!given || given->size() != 1) return c.fail("its k must be a constant with one element");
    k = (*given)[0];
  }
  const TopKParams params{axis, k, c.attr_int("largest", 1) != 0, c.attr_int("sorted", 1) != 0};
  if (!c.has_output(1)) return c.out(0, c.op_with(Op::TopKValues, {c.in(0)}, params));
  const Tensor indices = c.op_with(Op::TopKIndices, {c.in(0)}, params, c.has_output(0) ? ":indices" : "");
  c.out(1, indices);
  if (c.has_output(0))
    c.out(0, c.op_with(Op::GatherElements, {c.in(0), indices}, AxisParams{axis}));  // the search runs once
}

template <Op kOp>
void cumulated(OpCall& c) {
  const auto given = c.ints(1);
  if (!given || given->size() != 1) return c.fail("its axis must be one number");
  const int axis = c.axis((*given)[0], c.rank(0));
  c.out(0,
        c.op_with(kOp, {c.in(0)}, CumSumParams{axis, c.attr_int("exclusive", 0) != 0, c.attr_int("reverse", 0) != 0}));
}

uint32_t spatial(OpCall& c) {
  if (c.rank(0) < 3) c.fail("its input needs spatial dimensions");
  return ((1u << c.rank(0)) - 1) & ~3u;
}

template <Op kOp>
void global_pool(OpCall& c) {
  const uint32_t axes = spatial(c);
  c.out(0, c.op_with(kOp, {c.in(0)}, ReduceParams{axes, true}));
}

void global_lp_pool(OpCall& c) {
  const uint32_t axes = spatial(c);
  const int64_t p = c.attr_int("p", 2);
  const Tensor x = c.in(0);
  if (p == 2) return c.out(0, c.op_with(Op::ReduceL2, {x}, ReduceParams{axes, true}));
  if (p != 1) return c.fail(fmt::format("a norm with p = {} is not supported: expected 1 or 2", p));
  c.out(0, c.op_with(Op::ReduceSum, {c.op(Op::Abs, {x}, ":abs")}, ReduceParams{axes, true}));
}

constexpr HandlerEntry kReduceHandlers[] = {
    {"ArgMax", arg<Op::ArgMax>},
    {"ArgMin", arg<Op::ArgMin>},
    {"CumProd", cumulated<Op::CumProd>},
    {"CumSum", cumulated<Op::CumSum>},
    {"GlobalAveragePool", global_pool<Op::ReduceMean>},
    {"GlobalLpPool", global_lp_pool},
    {"GlobalMaxPool", global_pool<Op::ReduceMax>},
    {"ReduceL1", reduce_sum_of<Op::Abs, Op::None>},
    {"ReduceL2", reduce<Op::ReduceL2, 18>},
    {"ReduceLogSum", reduce_sum_of<Op::None, Op::Log>},
    {"ReduceLogSumExp", reduce_log_sum_exp},
    {"ReduceMax", reduce<Op::ReduceMax, 18>},
    {"ReduceMean", reduce<Op::ReduceMean, 18>},
    {"ReduceMin", reduce<Op::ReduceMin, 18>},
    {"ReduceProd", reduce<Op::ReduceProd, 18>},
    {"ReduceSum", reduce<Op::ReduceSum, 13>},
    {"ReduceSumSquare", reduce_sum_of<Op::Mul, Op::None>},
    {"TopK", top_k},
};

}  // namespace

std::span<const HandlerEntry> reduce_handlers() { return kReduceHandlers; }

}  // namespace arenascope::models
