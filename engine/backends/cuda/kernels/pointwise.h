// SPDX-License-Identifier: MIT
// Elementwise programs over one accumulator, so that one kernel per class of numbers computes every pointwise op and
// every chain of them. An input is an array with its own strides, 0 where it is broadcast. If the layout allows, a
// thread handles eight adjacent elements with 16-byte accesses.
#pragma once
#include <math.h>

#include <arenascope/graph/elementwise.h>
#include <arenascope/graph/op_list.h>
#include "engine/backends/cuda/kernels/numbers.h"
#include "engine/backends/cuda/kernels/strided_indexer.h"

namespace arenascope::cuda {

// Effect of a step on the accumulator x: the ops of op_list.h, and some that only programs have. y is the step's input,
// a and b are its scalars.
#define X(id, ...) id,
enum class PointwiseOpcode : int32_t {
  Load,                         // x = y
  ARENASCOPE_BINARY_OPS(X)      //
  ARENASCOPE_COMPARISON_OPS(X)  //
  SubFrom,
  DivInto,                 // y - x, y / x
  Where,                   // x is true ? y : the input after y
  MulRsqrt,                // x / sqrt(y + a)
  ARENASCOPE_UNARY_OPS(X)  //
  Truth,
};
#undef X

inline constexpr int kMaxInputs = 6;
inline constexpr int kMaxSteps = 12;

struct PointwiseStep {
  PointwiseOpcode what = PointwiseOpcode::Load;
  int32_t input = 0;
  double a = 0, b = 0;
};

struct PointwiseWork {
  StridedIndexer<kMaxInputs + 1> indexer;  // array 0 is the result, 1 + i the i-th input
  char* out = nullptr;
  const char* in[kMaxInputs] = {};
  DType types[kMaxInputs] = {};
  DType out_type = DType::F32;
  bool vector = false;       // eight adjacent elements at once
  bool is_unsigned = false;  // the integers are u64
  int32_t steps = 0;
  PointwiseStep step[kMaxSteps];
};

template <class N>
struct IsWhole {
  static constexpr bool value = false;
};
template <>
struct IsWhole<int64_t> {
  static constexpr bool value = true;
};

// Functions used by the formulas of graph/elementwise.h.
namespace formulas {

template <class N>
ARENASCOPE_DEVICE N lesser(N x, N y) {
  return y < x ? y : x;
}
template <class N>
ARENASCOPE_DEVICE N larger(N x, N y) {
  return x < y ? y : x;
}
template <class N>
ARENASCOPE_DEVICE N limited(N x, N low, N high) {
  return x < low ? low : x > high ? high : x;
}

ARENASCOPE_DEVICE uint64_t bits(int64_t x) { return static_cast<uint64_t>(x); }
ARENASCOPE_DEVICE bool less(int64_t x, int64_t y, bool u) { return u ? bits(x) < bits(y) : x < y; }
ARENASCOPE_DEVICE int64_t least(int64_t x, int64_t y, bool u) { return less(y, x, u) ? y : x; }
ARENASCOPE_DEVICE int64_t most(int64_t x, int64_t y, bool u) { return less(x, y, u) ? y : x; }
ARENASCOPE_DEVICE int64_t negative(int64_t x) { return static_cast<int64_t>(0ull - bits(x)); }
ARENASCOPE_DEVICE int64_t sum(int64_t x, int64_t y) { return static_cast<int64_t>(bits(x) + bits(y)); }
ARENASCOPE_DEVICE int64_t difference(int64_t x, int64_t y) { return static_cast<int64_t>(bits(x) - bits(y)); }
ARENASCOPE_DEVICE int64_t product(int64_t x, int64_t y) { return static_cast<int64_t>(bits(x) * bits(y)); }
ARENASCOPE_DEVICE int64_t quotient(int64_t x, int64_t y, bool u) {
  if (y == 0) return 0;
  if (u) return static_cast<int64_t>(bits(x) / bits(y));
  return y == -1 ? negative(x) : x / y;
}
ARENASCOPE_DEVICE int64_t floor_mod(int64_t x, int64_t y, bool u) {
  if (y == 0) return 0;
  if (u) return static_cast<int64_t>(bits(x) % bits(y));
  if (y == -1) return 0;
  const int64_t rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
ARENASCOPE_DEVICE int64_t shifted_left(int64_t x, int64_t y) {
  return bits(y) < 64 ? static_cast<int64_t>(bits(x) << bits(y)) : 0;
}
ARENASCOPE_DEVICE int64_t shifted_right(int64_t x, int64_t y) {
  return bits(y) < 64 ? static_cast<int64_t>(bits(x) >> bits(y)) : 0;
}
ARENASCOPE_DEVICE int64_t power(int64_t x, int64_t y) {
  if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1, base = bits(x);
  for (; y > 0; y >>= 1) {
    if (y & 1) result *= base;
    base *= base;
  }
  return static_cast<int64_t>(result);
}

template <class N>
struct Constant {
  template <class V>
  ARENASCOPE_DEVICE N operator()(V v) const {
    return static_cast<N>(v);
  }
};

// An op's formula for floating-point and for integer types; undefined where it has none. Long ones are not inlined
// (kFunction).
template <PointwiseOpcode kWhat, bool kReal>
struct Formula;

#define ARENASCOPE_FORMULA(id, real, expression)                \
  template <>                                                   \
  struct Formula<PointwiseOpcode::id, real> {                   \
    template <class N>                                          \
    static ARENASCOPE_DEVICE N of(N x, N y, N a, N b, bool u) { \
      const Constant<N> K;                                      \
      (void)x, (void)y, (void)a, (void)b, (void)u, (void)K;     \
      return static_cast<N>(expression);                        \
    }                                                           \
  };
#define REAL(id, expression) ARENASCOPE_FORMULA(id, true, expression)
#define INTEGER(id, expression) ARENASCOPE_FORMULA(id, false, expression)
ARENASCOPE_REAL_BINARY_FORMULAS(REAL)
ARENASCOPE_REAL_COMPARISON_FORMULAS(REAL)
ARENASCOPE_REAL_UNARY_FORMULAS(REAL)
ARENASCOPE_INTEGER_BINARY_FORMULAS(INTEGER)
ARENASCOPE_INTEGER_COMPARISON_FORMULAS(INTEGER)
ARENASCOPE_INTEGER_UNARY_FORMULAS(INTEGER)
#undef REAL
#undef INTEGER
#undef ARENASCOPE_FORMULA

// Functions are long and therefore not inlined, except these.
template <PointwiseOpcode kWhat>
struct Called {
  static constexpr bool value = false;
};
template <PointwiseOpcode kWhat>
struct Short {
  static constexpr bool value = false;
};
#define X(id)                           \
  template <>                           \
  struct Short<PointwiseOpcode::id> {   \
    static constexpr bool value = true; \
  };
// clang-format off
X(Sqrt) X(Reciprocal) X(Exp) X(Sigmoid) X(LeakyRelu) X(Softsign) X(Silu) X(HardSigmoid) X(HardSwish) X(Scale)
// clang-format on
#undef X
#define X(id, ...)                                                    \
  template <>                                                         \
  struct Called<PointwiseOpcode::id> {                                \
    static constexpr bool value = !Short<PointwiseOpcode::id>::value; \
  };
    ARENASCOPE_FUNCTION_OPS(X) X(Pow)
#undef X

        template <PointwiseOpcode kWhat, class N>
        ARENASCOPE_CALLED N called(N x, N y, N a, N b) {
  return Formula<kWhat, true>::of(x, y, a, b, false);
}

// Applies the op to an element.
template <PointwiseOpcode kWhat, class N>
ARENASCOPE_DEVICE N apply(N x, N y, N a, N b, bool is_unsigned) {
  if constexpr (!IsWhole<N>::value && Called<kWhat>::value)
    return called<kWhat>(x, y, a, b);
  else
    return Formula<kWhat, !IsWhole<N>::value>::of(x, y, a, b, is_unsigned);
}

}  // namespace formulas

// One step on `kCount` accumulators; z only for Where.
template <class N, int kCount>
ARENASCOPE_DEVICE void do_step(const PointwiseStep& s, bool is_unsigned, N (&x)[kCount], const N (&y)[kCount],
                               const N (&z)[kCount]) {
  const N a = static_cast<N>(s.a), b = static_cast<N>(s.b);
#define ARENASCOPE_DO(what, expression)                                                   \
  case PointwiseOpcode::what:                                                             \
    ARENASCOPE_UNROLL for (int j = 0; j < kCount; ++j) x[j] = static_cast<N>(expression); \
    return;
#define ANY(id, ...) ARENASCOPE_DO(id, (formulas::apply<PointwiseOpcode::id>(x[j], y[j], a, b, is_unsigned)))
#define REAL(id, ...)                                                    \
  case PointwiseOpcode::id:                                              \
    if constexpr (!IsWhole<N>::value)                                    \
      ARENASCOPE_UNROLL for (int j = 0; j < kCount; ++j) x[j] =          \
          formulas::apply<PointwiseOpcode::id>(x[j], y[j], a, b, false); \
    return;
#define INTEGER(id, ...)                                                       \
  case PointwiseOpcode::id:                                                    \
    if constexpr (IsWhole<N>::value)                                           \
      ARENASCOPE_UNROLL for (int j = 0; j < kCount; ++j) x[j] =                \
          formulas::apply<PointwiseOpcode::id>(x[j], y[j], a, b, is_unsigned); \
    return;
  switch (s.what) {
    ARENASCOPE_DO(Load, y[j])
    ARENASCOPE_ARITHMETIC_OPS(ANY)
    ARENASCOPE_BITWISE_OPS(INTEGER)
    ARENASCOPE_COMPARISON_OPS(ANY)
    ARENASCOPE_NUMBER_OPS(ANY)
    ARENASCOPE_INTEGER_OPS(INTEGER)
    ARENASCOPE_PREDICATE_OPS(ANY)
    ARENASCOPE_FUNCTION_OPS(REAL)
    ARENASCOPE_DO(SubFrom, (formulas::apply<PointwiseOpcode::Sub>(y[j], x[j], a, b, is_unsigned)))
    ARENASCOPE_DO(DivInto, (formulas::apply<PointwiseOpcode::Div>(y[j], x[j], a, b, is_unsigned)))
    ARENASCOPE_DO(Where, x[j] != 0 ? y[j] : z[j])
    ARENASCOPE_DO(Truth, x[j] != 0)
    case PointwiseOpcode::MulRsqrt:
      if constexpr (!IsWhole<N>::value) ARENASCOPE_UNROLL for (int j = 0; j < kCount; ++j) x[j] = x[j] / sqrt(y[j] + a);
      return;
  }
#undef INTEGER
#undef REAL
#undef ANY
#undef ARENASCOPE_DO
}

// Only f32 inlines the steps, eight at once; for other classes a step is a function call.
template <class N>
ARENASCOPE_CALLED N one_step(const PointwiseStep& s, bool is_unsigned, N x, N y, N z) {
  N a[1] = {x};
  const N b[1] = {y}, c[1] = {z};
  do_step(s, is_unsigned, a, b, c);
  return a[0];
}
template <class N>
ARENASCOPE_DEVICE void vector_step(const PointwiseStep& s, bool is_unsigned, N (&x)[kVector], const N (&y)[kVector],
                                   const N (&z)[kVector]) {
  if constexpr (sizeof(N) == 4) {
    do_step(s, is_unsigned, x, y, z);
  } else if (s.what == PointwiseOpcode::Load) {
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) x[j] = y[j];
  } else {
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) x[j] = one_step(s, is_unsigned, x[j], y[j], z[j]);
  }
}

ARENASCOPE_DEVICE bool takes_input(PointwiseOpcode what) { return what <= PointwiseOpcode::MulRsqrt; }

// An input from element `first` on: eight adjacent elements of an array with innermost stride 1, or one element for
// all.
template <class N>
ARENASCOPE_DEVICE void fetch(const PointwiseWork& p, int input, int64_t first, N (&to)[kVector]) {
  const int64_t at = element_offset(p.indexer, input + 1, first);
  if (p.indexer.strides[input + 1][0] != 0) return get_vector(p.types[input], p.in[input], at, to);
  const N x = get<N>(p.types[input], p.in[input], at);
  ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) to[j] = x;
}

template <class N>
ARENASCOPE_DEVICE void pointwise(const PointwiseWork& p) {
  const int64_t first = block() * threads() + thread(), all = blocks() * threads();
  int64_t done = 0;
  if (p.vector) {
    const int64_t vectors = p.indexer.count / kVector;
    for (int64_t v = first; v < vectors; v += all) {
      N x[kVector] = {}, y[kVector] = {}, z[kVector] = {};
      for (int s = 0; s < p.steps; ++s) {
        const PointwiseStep& step = p.step[s];
        if (takes_input(step.what)) fetch(p, step.input, v * kVector, y);
        if (step.what == PointwiseOpcode::Where) fetch(p, step.input + 1, v * kVector, z);
        vector_step(step, p.is_unsigned, x, y, z);
      }
      put_vector(p.out_type, p.out, element_offset(p.indexer, 0, v * kVector), x);
    }
    done = vectors * kVector;
  }
  for (int64_t i = done + first; i < p.indexer.count; i += all) {
    N x = 0, y = 0, z = 0;
    for (int s = 0; s < p.steps; ++s) {
      const PointwiseStep& step = p.step[s];
      const int in = step.input;
      if (takes_input(step.what)) y = get_one<N>(p.types[in], p.in[in], element_offset(p.indexer, in + 1, i));
      if (step.what == PointwiseOpcode::Where)
        z = get_one<N>(p.types[in + 1], p.in[in + 1], element_offset(p.indexer, in + 2, i));
      x = step.what == PointwiseOpcode::Load ? y : one_step(step, p.is_unsigned, x, y, z);
    }
    put_one(p.out_type, p.out, element_offset(p.indexer, 0, i), x);
  }
}

ARENASCOPE_KERNEL(pointwise_f32, PointwiseWork) { pointwise<float>(p); }
ARENASCOPE_KERNEL(pointwise_f64, PointwiseWork) { pointwise<double>(p); }
ARENASCOPE_KERNEL(pointwise_int, PointwiseWork) { pointwise<int64_t>(p); }

}  // namespace arenascope::cuda
