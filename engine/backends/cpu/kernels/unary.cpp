// SPDX-License-Identifier: MIT
// Elementwise ops with one input: SIMD for float where it pays, else loops over the op's formula.
#include <array>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/formulas.h"
#include "engine/backends/cpu/kernels/fused_epilogue.h"
#include "engine/backends/cpu/kernels/row_io.h"
#include "engine/backends/cpu/simd/simd.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // a missing op is a compile error

namespace arenascope::cpu {
namespace {

struct Vectorised {
  Op op;
  ElementLoops::Unary ElementLoops::*loop;
};
// Ops with a loop that is faster than the formula's.
constexpr Vectorised kVectorised[] = {{Op::Scale, &ElementLoops::affine},
                                      {Op::Clamp, &ElementLoops::clamp},
                                      {Op::Relu, &ElementLoops::relu},
                                      {Op::LeakyRelu, &ElementLoops::leaky_relu},
                                      {Op::Elu, &ElementLoops::elu},
                                      {Op::Exp, &ElementLoops::exp},
                                      {Op::Log, &ElementLoops::log},
                                      {Op::Erf, &ElementLoops::erf},
                                      {Op::Tanh, &ElementLoops::tanh},
                                      {Op::Sigmoid, &ElementLoops::sigmoid},
                                      {Op::Silu, &ElementLoops::silu},
                                      {Op::Gelu, &ElementLoops::gelu},
                                      {Op::GeluTanh, &ElementLoops::gelu_tanh},
                                      {Op::Softplus, &ElementLoops::softplus},
                                      {Op::Mish, &ElementLoops::mish},
                                      {Op::HardSigmoid, &ElementLoops::hard_sigmoid},
                                      {Op::HardSwish, &ElementLoops::hard_swish},
                                      {Op::Sqrt, &ElementLoops::sqrt},
                                      {Op::Reciprocal, &ElementLoops::reciprocal},
                                      {Op::Neg, &ElementLoops::neg},
                                      {Op::Abs, &ElementLoops::abs},
                                      {Op::Sign, &ElementLoops::sign},
                                      {Op::Floor, &ElementLoops::floor},
                                      {Op::Ceil, &ElementLoops::ceil},
                                      {Op::Round, &ElementLoops::round},
                                      {Op::Sin, &ElementLoops::sin},
                                      {Op::Cos, &ElementLoops::cos},
                                      {Op::Asin, &ElementLoops::asin},
                                      {Op::Acos, &ElementLoops::acos},
                                      {Op::Atan, &ElementLoops::atan}};

ElementLoops::Unary vectorised(const Simd& s, Op op) {
  static constexpr auto kTable = [] {
    std::array<ElementLoops::Unary ElementLoops::*, kOpCount> table{};
    table.fill(nullptr);  // GCC 12 initialises only the first member otherwise
    for (const Vectorised& entry : kVectorised) table[static_cast<size_t>(entry.op)] = entry.loop;
    return table;
  }();
  const auto loop = kTable[static_cast<size_t>(op)];
  return loop ? s.elements.*loop : nullptr;
}

// Converts a row of elements of type C to type Out.
template <class Out, class C>
using Rows = void (*)(Out* out, const C* x, int64_t n, C a, C b);

template <class Out, class C, Op kOp>
void rows(Out* out, const C* x, int64_t n, C a, C b) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Out>(formulas::FormulaOf<C, kOp>::of(x[i], C{}, a, b));
}

// Null: the op has no formula for this type.
template <class Out, class C>
Rows<Out, C> rows_of(UnaryOp op) {
  constexpr bool kReal = std::is_floating_point_v<C>, kSame = std::is_same_v<Out, C>;
#define ROWS(id, applies)                               \
  case UnaryOp::id:                                     \
    if constexpr (applies) return rows<Out, C, Op::id>; \
    break;
  switch (op) {
#define X(id, ...) ROWS(id, kSame)
    ARENASCOPE_NUMBER_OPS(X)
#undef X
#define X(id, ...) ROWS(id, kSame&& kReal)
    ARENASCOPE_FUNCTION_OPS(X)
#undef X
#define X(id, ...) ROWS(id, kSame && !kReal)
    ARENASCOPE_INTEGER_OPS(X)
#undef X
#define X(id, ...) ROWS(id, (std::is_same_v<Out, int64_t>))
    ARENASCOPE_PREDICATE_OPS(X)
#undef X
  }
#undef ROWS
  return nullptr;
}

template <class Out, class C>
Status run(const KernelArgs& args) {
  const Op op = args.node.op;
  const auto slow = rows_of<Out, C>(static_cast<UnaryOp>(op));
  if (!slow) return refuse(args.node, "the op is not defined for this type");
  const Scalars scalars = scalars_of(args.node);
  const C a = convert<C>(scalars.a), b = convert<C>(scalars.b);
  const LoopNest nest(args.node, {&args.source(0)});
  Reader<C> source(args.source(0), nest.inner_stride(1));
  Writer<Out> out(args.node);
  const Functions functions(args.node);
  [[maybe_unused]] ElementLoops::Unary fast = nullptr;
  if constexpr (std::is_same_v<Out, float>) fast = vectorised(*functions, op);
  const int64_t longest = source.direct() && out.direct() ? nest.count() : kPiece;
  nest.rows(args.part(nest.count(), 64), longest, [&](const int64_t* at, int64_t n) {
    const C* x = source.piece(at[1], n);
    Out* to = out.piece(at[0]);
    if constexpr (std::is_same_v<Out, float>) {
      if (fast)
        fast(to, x, n, a, b);
      else
        slow(to, x, n, a, b);
    } else {
      slow(to, x, n, a, b);
    }
    out.done(at[0], n);
  });
  return {};
}

}  // namespace

void unary_row(const Simd& s, Op op, float* out, const float* x, int64_t n, float p, float q) {
  if (const ElementLoops::Unary fast = vectorised(s, op)) return fast(out, x, n, p, q);
  rows_of<float, float>(static_cast<UnaryOp>(op))(out, x, n, p, q);
}

namespace {

// IS_NAN of floats, with boolean results.
Status is_nan(const KernelArgs& args) {
  const LoopNest nest(args.node, {&args.source(0)});
  Reader<float> source(args.source(0), nest.inner_stride(1));
  nest.rows(args.part(nest.count(), 64), kPiece, [&](const int64_t* at, int64_t n) {
    simd().truths.is_nan(args.node.data_as<uint8_t>() + at[0], source.piece(at[1], n), n);
  });
  return {};
}

}  // namespace

Status unary(const KernelArgs& args) {
  if (args.node.op == Op::IsNan && simd().truths.is_nan && family(args.source(0).dtype) == Family::Float)
    return is_nan(args);
  return with_compute_type(args.source(0).dtype, [&](auto zero) -> Status {
    using C = decltype(zero);
    // Booleans are computed as int64_t.
    if (args.node.dtype == DType::Bool) return run<int64_t, C>(args);
    return run<C, C>(args);
  });
}

}  // namespace arenascope::cpu
