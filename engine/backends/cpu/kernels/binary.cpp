// SPDX-License-Identifier: MIT
// Ops of two broadcast sources: arithmetic, comparison, and the choice between two.
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/formulas.h"
#include "engine/backends/cpu/kernels/rows.h"
#include "engine/backends/cpu/kernels/steps.h"
#include "engine/backends/cpu/simd/simd.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // an op that is missing here is a compile error

namespace arenascope::cpu {
namespace {

template <class Out, class C>
using Pairs = void (*)(Out* out, const C* x, const C* y, int64_t n);

template <class Out, class C, Op kOp>
void loop(Out* out, const C* x, const C* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<Out>(formulas::FormulaOf<C, kOp>::of(x[i], y[i], C{}, C{}));
}

// Null: the op has no formula for such numbers.
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

// Faster than the formula's loop; null where there is none.
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

// out = f(a, b) for this part of the node.
template <class Out, class C>
void run(const Job& job, const TensorImpl& a, const TensorImpl& b, void (*f)(Out*, const C*, const C*, int64_t)) {
  const Nest nest(job.node, {&a, &b});
  Reader<C> left(a, nest.inner_stride(1)), right(b, nest.inner_stride(2));
  Writer<Out> out(job.node);
  const bool direct = left.direct() && right.direct() && out.direct();
  const int64_t longest = direct ? std::numeric_limits<int64_t>::max() : kPiece;
  nest.rows(job.part(nest.count(), 64), longest, [&](const int64_t* at, int64_t n) {
    f(out.piece(at[0]), left.piece(at[1], n), right.piece(at[2], n), n);
    out.done(at[0], n);
  });
}

// Comparisons of floats, straight to their bytes.
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
void compare_floats(const Job& job, FloatComparison f) {
  const Nest nest(job.node, {&job.source(0), &job.source(1)});
  Reader<float> left(job.source(0), nest.inner_stride(1)), right(job.source(1), nest.inner_stride(2));
  nest.rows(job.part(nest.count(), 64), kPiece, [&](const int64_t* at, int64_t n) {
    const float *a = left.piece(at[1], n), *b = right.piece(at[2], n);
    f.loop(job.node.data_as<uint8_t>() + at[0], f.swapped ? b : a, f.swapped ? a : b, n);
  });
}

// y = 2 is what most exponents are.
float power(float x, float y) { return y == 2.0f ? x * x : std::pow(x, y); }
void pow_row(float* out, const float* x, const float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = power(x[i], y[i]);
}

// a to the power b: by squaring where both are integers, else in double.
template <class C, class E>
void powers(const Job& job) {
  const TensorImpl &a = job.source(0), &b = job.source(1);
  const Nest nest(job.node.sizes, {&job.node, &a, &b});
  Reader<C> base(a, nest.inner_stride(1));
  Reader<E> exponent(b, nest.inner_stride(2));
  Writer<C> out(job.node);
  nest.rows(job.part(nest.count(), 64), kPiece, [&](const int64_t* at, int64_t n) {
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

// Elements are moved as they are, by their width.
template <class T>
void choose(const Job& job) {
  const TensorImpl &condition = job.source(0), &yes = job.source(1), &no = job.source(2);
  const Nest nest(job.node.sizes, {&job.node, &condition, &yes, &no});
  const int64_t step_c = nest.inner_stride(1), step_y = nest.inner_stride(2), step_n = nest.inner_stride(3);
  const auto* c = condition.data_as<uint8_t>();
  const T *y = yes.data_as<T>(), *z = no.data_as<T>();
  T* out = job.node.data_as<T>();
  nest.rows(job.part(nest.count(), 64), std::numeric_limits<int64_t>::max(), [&](const int64_t* at, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      out[at[0] + i] = c[at[1] + i * step_c] != 0 ? y[at[2] + i * step_y] : z[at[3] + i * step_n];
  });
}

// Of bases and exponents of any two types.
Status pow(const Job& job) {
  with_compute_type(job.node.dtype, [&](auto base) {
    with_compute_type(job.source(1).dtype, [&](auto exponent) { powers<decltype(base), decltype(exponent)>(job); });
  });
  return {};
}

}  // namespace

ElementLoops::Binary binary_row(const Simd& s, Op op) {
  if (op == Op::Pow) return pow_row;
  if (const ElementLoops::Binary fast = vectorised(s, op)) return fast;
  return arithmetic<float>(static_cast<BinaryOp>(op));
}

Status binary(const Job& job) {
  if (job.node.op == Op::Pow) return pow(job);
  return with_compute_type(job.node.dtype, [&](auto zero) -> Status {
    using C = decltype(zero);
    const Functions functions(job.node);
    Pairs<C, C> f = arithmetic<C>(static_cast<BinaryOp>(job.node.op));
    if constexpr (std::is_same_v<C, float>)
      if (const ElementLoops::Binary fast = vectorised(*functions, job.node.op)) f = fast;
    if (!f) return refuse(job.node, "it has no formula for such numbers");
    run<C, C>(job, job.source(0), job.source(1), f);
    return {};
  });
}

Status compare(const Job& job) {
  if (const FloatComparison f = float_comparison(job.node.op); f.loop && family(job.source(0).dtype) == Family::Float) {
    compare_floats(job, f);
    return {};
  }
  return with_compute_type(job.source(0).dtype, [&](auto zero) -> Status {
    using C = decltype(zero);
    const auto f = comparison<C>(static_cast<ComparisonOp>(job.node.op));
    if (!f) return refuse(job.node, "it has no formula for such numbers");
    run<int64_t, C>(job, job.source(0), job.source(1), f);
    return {};
  });
}

Status where(const Job& job) {
  switch (element_bytes(job.node.dtype)) {
    case 1: choose<uint8_t>(job); break;
    case 2: choose<uint16_t>(job); break;
    case 4: choose<uint32_t>(job); break;
    default: choose<uint64_t>(job); break;
  }
  return {};
}

}  // namespace arenascope::cpu
