// SPDX-License-Identifier: MIT
// Ops with two broadcast inputs: arithmetic, comparison and selection.
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/formulas.h"
#include "engine/backends/cpu/kernels/fused_epilogue.h"
#include "engine/backends/cpu/kernels/row_io.h"
#include "engine/backends/cpu/simd/simd.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // a missing op is a compile error

namespace arenascope::cpu {
namespace {

template <class Out, class C>
using Pairs = void (*)(Out* out, const C* x, const C* y, int64_t n);

template <class Out, class C, Op kOp>
void loop(Out* out, const C* x, const C* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Out>(formulas::FormulaOf<C, kOp>::of(x[i], y[i], C{}, C{}));
}

// Null: the op has no formula for this type.
template <class C>
Pairs<C, C> arithmetic(BinaryOp op) {
  switch (op) {
#define X(id, ...) \
  case BinaryOp::id: return loop<C, C, Op::id>;
    ARENASCOPE_ARITHMETIC_OPS(X)
#undef X
#define X(id, ...)                                                  \
  case BinaryOp::id:                                                \
    if constexpr (std::is_integral_v<C>) return loop<C, C, Op::id>; \
    break;
    ARENASCOPE_BITWISE_OPS(X)
#undef X
  }
  return nullptr;
}

template <class C>
Pairs<int64_t, C> comparison(ComparisonOp op) {
  switch (op) {
#define X(id, ...) \
  case ComparisonOp::id: return loop<int64_t, C, Op::id>;
    ARENASCOPE_COMPARISON_OPS(X)
#undef X
  }
  return nullptr;
}

// A loop that is faster than the formula's; null: none.
ElementLoops::Binary vectorised(const Simd& s, Op op) {
  const struct {
    Op op;
    ElementLoops::Binary loop;
  } all[] = {{Op::Add, s.elements.add}, {Op::Sub, s.elements.sub}, {Op::Mul, s.elements.mul},
             {Op::Div, s.elements.div}, {Op::Min, s.elements.min}, {Op::Max, s.elements.max}};
  for (const auto& entry : all)
    if (entry.op == op) return entry.loop;
  return nullptr;
}

// out = f(a, b) for this chunk of the node.
template <class Out, class C>
void run(const KernelArgs& args, const TensorImpl& a, const TensorImpl& b,
         void (*f)(Out*, const C*, const C*, int64_t)) {
  const LoopNest nest(args.node, {&a, &b});
  Reader<C> left(a, nest.inner_stride(1)), right(b, nest.inner_stride(2));
  Writer<Out> out(args.node);
  const bool direct = left.direct() && right.direct() && out.direct();
  const int64_t longest = direct ? std::numeric_limits<int64_t>::max() : kPiece;
  nest.rows(args.part(nest.count(), 64), longest, [&](const int64_t* at, int64_t n) {
    f(out.piece(at[0]), left.piece(at[1], n), right.piece(at[2], n), n);
    out.done(at[0], n);
  });
}

// Float comparisons with boolean results.
struct FloatComparison {
  TruthLoops::Compare loop;
  bool swapped;
};
FloatComparison float_comparison(Op op) {
  const TruthLoops& truths = simd().truths;
  switch (static_cast<ComparisonOp>(op)) {
    case ComparisonOp::Equal: return {truths.equal, false};
    case ComparisonOp::Less: return {truths.less, false};
    case ComparisonOp::LessEqual: return {truths.less_equal, false};
    case ComparisonOp::Greater: return {truths.less, true};
    case ComparisonOp::GreaterEqual: return {truths.less_equal, true};
    case ComparisonOp::And:
    case ComparisonOp::Or:
    case ComparisonOp::Xor: break;
  }
  return {};
}
void compare_floats(const KernelArgs& args, FloatComparison f) {
  const LoopNest nest(args.node, {&args.source(0), &args.source(1)});
  Reader<float> left(args.source(0), nest.inner_stride(1)), right(args.source(1), nest.inner_stride(2));
  nest.rows(args.part(nest.count(), 64), kPiece, [&](const int64_t* at, int64_t n) {
    const float *a = left.piece(at[1], n), *b = right.piece(at[2], n);
    f.loop(args.node.data_as<uint8_t>() + at[0], f.swapped ? b : a, f.swapped ? a : b, n);
  });
}

// 2 is the most frequent exponent.
float power(float x, float y) { return y == 2.0f ? x * x : std::pow(x, y); }
void pow_row(float* out, const float* x, const float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = power(x[i], y[i]);
}

// a to the power b: by repeated squaring if both are integers, else in double.
template <class C, class E>
void powers(const KernelArgs& args) {
  const TensorImpl &a = args.source(0), &b = args.source(1);
  const LoopNest nest(args.node.sizes, {&args.node, &a, &b});
  Reader<C> base(a, nest.inner_stride(1));
  Reader<E> exponent(b, nest.inner_stride(2));
  Writer<C> out(args.node);
  nest.rows(args.part(nest.count(), 64), kPiece, [&](const int64_t* at, int64_t n) {
    const C* x = base.piece(at[1], n);
    const E* y = exponent.piece(at[2], n);
    C* to = out.piece(at[0]);
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<C> && std::is_integral_v<E>) {
        if (y[i] >= E{0}) {
          uint64_t power = 1, factor = static_cast<uint64_t>(x[i]);
          for (auto e = static_cast<uint64_t>(y[i]); e != 0; e >>= 1, factor *= factor)
            if (e & 1) power *= factor;
          to[i] = static_cast<C>(power);
          continue;
        }
      }
      if constexpr (std::is_same_v<C, float> && std::is_same_v<E, float>)
        to[i] = power(x[i], y[i]);
      else
        to[i] = convert<C>(std::pow(static_cast<double>(x[i]), static_cast<double>(y[i])));
    }
    out.done(at[0], n);
  });
}

// Elements are copied as integers of their width.
template <class T>
void choose(const KernelArgs& args) {
  const TensorImpl &condition = args.source(0), &yes = args.source(1), &no = args.source(2);
  const LoopNest nest(args.node.sizes, {&args.node, &condition, &yes, &no});
  const int64_t step_c = nest.inner_stride(1), step_y = nest.inner_stride(2), step_n = nest.inner_stride(3);
  const auto* c = condition.data_as<uint8_t>();
  const T *y = yes.data_as<T>(), *z = no.data_as<T>();
  T* out = args.node.data_as<T>();
  nest.rows(args.part(nest.count(), 64), std::numeric_limits<int64_t>::max(), [&](const int64_t* at, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      out[at[0] + i] = c[at[1] + i * step_c] != 0 ? y[at[2] + i * step_y] : z[at[3] + i * step_n];
  });
}

// Base and exponent may have any types.
Status pow(const KernelArgs& args) {
  with_compute_type(args.node.dtype, [&](auto base) {
    with_compute_type(args.source(1).dtype, [&](auto exponent) { powers<decltype(base), decltype(exponent)>(args); });
  });
  return {};
}

}  // namespace

ElementLoops::Binary binary_row(const Simd& s, Op op) {
  if (op == Op::Pow) return pow_row;
  if (const ElementLoops::Binary fast = vectorised(s, op)) return fast;
  return arithmetic<float>(static_cast<BinaryOp>(op));
}

Status binary(const KernelArgs& args) {
  if (args.node.op == Op::Pow) return pow(args);
  return with_compute_type(args.node.dtype, [&](auto zero) -> Status {
    using C = decltype(zero);
    const Functions functions(args.node);
    Pairs<C, C> f = arithmetic<C>(static_cast<BinaryOp>(args.node.op));
    if constexpr (std::is_same_v<C, float>)
      if (const ElementLoops::Binary fast = vectorised(*functions, args.node.op)) f = fast;
    if (!f) return refuse(args.node, "the op is not defined for this type");
    run<C, C>(args, args.source(0), args.source(1), f);
    return {};
  });
}

Status compare(const KernelArgs& args) {
  if (const FloatComparison f = float_comparison(args.node.op);
      f.loop && family(args.source(0).dtype) == Family::Float) {
    compare_floats(args, f);
    return {};
  }
  return with_compute_type(args.source(0).dtype, [&](auto zero) -> Status {
    using C = decltype(zero);
    const auto f = comparison<C>(static_cast<ComparisonOp>(args.node.op));
    if (!f) return refuse(args.node, "the op is not defined for this type");
    run<int64_t, C>(args, args.source(0), args.source(1), f);
    return {};
  });
}

Status where(const KernelArgs& args) {
  switch (element_bytes(args.node.dtype)) {
    case 1: choose<uint8_t>(args); break;
    case 2: choose<uint16_t>(args); break;
    case 4: choose<uint32_t>(args); break;
    default: choose<uint64_t>(args); break;
  }
  return {};
}

}  // namespace arenascope::cpu
