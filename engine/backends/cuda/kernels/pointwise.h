// SPDX-License-Identifier: MIT
// Element by element: a short program over one accumulator, so that one kernel a class of numbers computes every such
// op and every chain of them. An input is an array with strides of its own, 0 where it repeats. Where the layout
// allows, a thread handles eight neighbours with accesses of 16 bytes.
#pragma once
#include <math.h>

#include "engine/backends/cuda/kernels/numbers.h"
#include "engine/backends/cuda/kernels/places.h"

namespace arenascope::cuda {

// What a step does to the accumulator x; y is the step's input, a and b are its numbers.
enum class Do : int32_t {
  Load,  // x = y
  Add,
  Sub,
  Mul,
  Div,
  Pow,
  Min,
  Max,
  Mod,
  SubFrom,
  DivInto,  // y - x, y / x
  Equal,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Xor,
  Where,     // x is true ? y : the input after y
  MulRsqrt,  // x / sqrt(y + a)
  Neg,
  Abs,
  Sign,
  Floor,
  Ceil,
  Round,
  Sqrt,
  Reciprocal,
  Exp,
  Log,
  Erf,
  Sin,
  Cos,
  Tanh,
  Sigmoid,
  Relu,
  LeakyRelu,
  Elu,
  Softplus,
  Softsign,
  Gelu,
  GeluTanh,
  Silu,
  Mish,
  HardSigmoid,
  HardSwish,
  Clamp,
  Scale,
  Not,
  IsNan,
  Truth,
};

inline constexpr int kMostInputs = 6;
inline constexpr int kMostSteps = 12;

struct PointwiseStep {
  Do what = Do::Load;
  int32_t input = 0;
  double a = 0, b = 0;
};

struct PointwiseWork {
  Places<kMostInputs + 1> places;  // array 0 is the result, 1 + i the i-th input
  char* out = nullptr;
  const char* in[kMostInputs] = {};
  DType types[kMostInputs] = {};
  DType out_type = DType::F32;
  bool vector = false;       // eight neighbours at once
  bool is_unsigned = false;  // the integers are u64
  int32_t steps = 0;
  PointwiseStep step[kMostSteps];
};

template <class N>
ARENASCOPE_DEVICE N sigmoid(N x) {
  return N(1) / (N(1) + exp(-x));
}
template <class N>
ARENASCOPE_DEVICE N softplus(N x) {
  return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}
template <class N>
ARENASCOPE_DEVICE N limited(N x, N low, N high) {
  return x < low ? low : x > high ? high : x;
}

// The functions that take many instructions, once for all.
template <class N>
ARENASCOPE_CALLED N function_of(Do what, N x, N a) {
  switch (what) {
    case Do::Sin: return sin(x);
    case Do::Cos: return cos(x);
    case Do::Log: return log(x);
    case Do::Erf: return erf(x);
    case Do::Tanh: return tanh(x);
    case Do::Elu: return x < 0 ? a * expm1(x) : x;
    case Do::Softplus: return softplus(x);
    case Do::Gelu: return x / 2 * (N(1) + erf(x * N(0.70710678118654752440)));
    case Do::GeluTanh: return x / 2 * (N(1) + tanh(N(0.79788456080286535588) * (x + N(0.044715) * x * x * x)));
    case Do::Mish: return x * tanh(softplus(x));
    default: return exp(x);
  }
}
template <class N>
ARENASCOPE_CALLED N power(N x, N y) {
  return pow(x, y);
}
ARENASCOPE_DEVICE int64_t whole_power(int64_t x, int64_t y) {
  if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1, base = static_cast<uint64_t>(x);
  for (; y > 0; y >>= 1) {
    if (y & 1) result *= base;
    base *= base;
  }
  return static_cast<int64_t>(result);
}

template <class N>
struct IsWhole {
  static constexpr bool value = false;
};
template <>
struct IsWhole<int64_t> {
  static constexpr bool value = true;
};

template <class N>
ARENASCOPE_DEVICE bool less(N x, N y, bool is_unsigned) {
  if constexpr (IsWhole<N>::value)
    if (is_unsigned) return static_cast<uint64_t>(x) < static_cast<uint64_t>(y);
  return x < y;
}

template <class N>
ARENASCOPE_DEVICE N quotient(N x, N y, bool is_unsigned) {
  if constexpr (IsWhole<N>::value) {
    if (y == 0) return 0;
    if (is_unsigned) return static_cast<int64_t>(static_cast<uint64_t>(x) / static_cast<uint64_t>(y));
    if (y == -1) return static_cast<int64_t>(0ull - static_cast<uint64_t>(x));
    return x / y;
  } else {
    return x / y;
  }
}

template <class N>
ARENASCOPE_DEVICE N remainder_of(N x, N y, bool is_unsigned) {
  if constexpr (IsWhole<N>::value) {
    if (y == 0 || y == -1) return 0;
    if (is_unsigned) return static_cast<int64_t>(static_cast<uint64_t>(x) % static_cast<uint64_t>(y));
    const int64_t r = x % y;
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
  } else {
    return fmod(x, y);
  }
}

template <class N>
ARENASCOPE_DEVICE N sum_of(N x, N y) {
  if constexpr (IsWhole<N>::value)
    return static_cast<int64_t>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
  else
    return x + y;
}
template <class N>
ARENASCOPE_DEVICE N difference_of(N x, N y) {
  if constexpr (IsWhole<N>::value)
    return static_cast<int64_t>(static_cast<uint64_t>(x) - static_cast<uint64_t>(y));
  else
    return x - y;
}
template <class N>
ARENASCOPE_DEVICE N product_of(N x, N y) {
  if constexpr (IsWhole<N>::value)
    return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
  else
    return x * y;
}

// One step on `kCount` accumulators; z only for Where.
template <class N, int kCount>
ARENASCOPE_DEVICE void do_step(const PointwiseStep& s, bool is_unsigned, N (&x)[kCount], const N (&y)[kCount],
                               const N (&z)[kCount]) {
  const N a = static_cast<N>(s.a), b = static_cast<N>(s.b);
#define ARENASCOPE_DO(what, expression) \
  case Do::what: ARENASCOPE_UNROLL for (int j = 0; j < kCount; ++j) x[j] = static_cast<N>(expression); return;
  switch (s.what) {
    ARENASCOPE_DO(Load, y[j])
    ARENASCOPE_DO(Add, sum_of(x[j], y[j]))
    ARENASCOPE_DO(Sub, difference_of(x[j], y[j]))
    ARENASCOPE_DO(SubFrom, difference_of(y[j], x[j]))
    ARENASCOPE_DO(Mul, product_of(x[j], y[j]))
    ARENASCOPE_DO(Div, quotient(x[j], y[j], is_unsigned))
    ARENASCOPE_DO(DivInto, quotient(y[j], x[j], is_unsigned))
    ARENASCOPE_DO(Mod, remainder_of(x[j], y[j], is_unsigned))
    ARENASCOPE_DO(Min, (x[j] != x[j] || less(x[j], y[j], is_unsigned)) ? x[j] : y[j])
    ARENASCOPE_DO(Max, (x[j] != x[j] || less(y[j], x[j], is_unsigned)) ? x[j] : y[j])
    ARENASCOPE_DO(Equal, x[j] == y[j])
    ARENASCOPE_DO(Less, less(x[j], y[j], is_unsigned))
    ARENASCOPE_DO(LessEqual, x[j] == y[j] || less(x[j], y[j], is_unsigned))
    ARENASCOPE_DO(Greater, less(y[j], x[j], is_unsigned))
    ARENASCOPE_DO(GreaterEqual, x[j] == y[j] || less(y[j], x[j], is_unsigned))
    ARENASCOPE_DO(And, x[j] != 0 && y[j] != 0)
    ARENASCOPE_DO(Or, x[j] != 0 || y[j] != 0)
    ARENASCOPE_DO(Xor, (x[j] != 0) != (y[j] != 0))
    ARENASCOPE_DO(Where, x[j] != 0 ? y[j] : z[j])
    ARENASCOPE_DO(Neg, difference_of(N(0), x[j]))
    ARENASCOPE_DO(Abs, less(x[j], N(0), is_unsigned) ? difference_of(N(0), x[j]) : x[j])
    ARENASCOPE_DO(Sign, x[j] != x[j] ? x[j] : N(less(N(0), x[j], is_unsigned)) - N(less(x[j], N(0), is_unsigned)))
    ARENASCOPE_DO(Relu, less(x[j], N(0), is_unsigned) ? N(0) : x[j])
    ARENASCOPE_DO(Clamp, less(x[j], a, is_unsigned) ? a : less(b, x[j], is_unsigned) ? b : x[j])
    ARENASCOPE_DO(Not, x[j] == 0)
    ARENASCOPE_DO(Truth, x[j] != 0)
    ARENASCOPE_DO(IsNan, x[j] != x[j])
    default: break;
  }
  if constexpr (IsWhole<N>::value) {
    if (s.what == Do::Pow) ARENASCOPE_UNROLL for (int j = 0; j < kCount; ++j) x[j] = whole_power(x[j], y[j]);
    return;  // the rest leaves integers as they are
  } else {
    switch (s.what) {
      ARENASCOPE_DO(Pow, power(x[j], y[j]))
      ARENASCOPE_DO(MulRsqrt, x[j] / sqrt(y[j] + a))
      ARENASCOPE_DO(Floor, floor(x[j]))
      ARENASCOPE_DO(Ceil, ceil(x[j]))
      ARENASCOPE_DO(Round, rint(x[j]))
      ARENASCOPE_DO(Sqrt, sqrt(x[j]))
      ARENASCOPE_DO(Reciprocal, N(1) / x[j])
      ARENASCOPE_DO(Exp, exp(x[j]))
      ARENASCOPE_DO(Sigmoid, sigmoid(x[j]))
      ARENASCOPE_DO(Silu, x[j] * sigmoid(x[j]))
      ARENASCOPE_DO(LeakyRelu, x[j] < 0 ? a * x[j] : x[j])
      ARENASCOPE_DO(Softsign, x[j] / (N(1) + fabs(x[j])))
      ARENASCOPE_DO(HardSigmoid, limited(a * x[j] + b, N(0), N(1)))
      ARENASCOPE_DO(HardSwish, x[j] * limited(a * x[j] + b, N(0), N(1)))
      ARENASCOPE_DO(Scale, a * x[j] + b)
      default: ARENASCOPE_UNROLL for (int j = 0; j < kCount; ++j) x[j] = function_of(s.what, x[j], a);
    }
  }
#undef ARENASCOPE_DO
}

// Only f32 has its steps in place, eight at once; for the others a step is a call.
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
  } else if (s.what == Do::Load) {
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) x[j] = y[j];
  } else {
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) x[j] = one_step(s, is_unsigned, x[j], y[j], z[j]);
  }
}

ARENASCOPE_DEVICE bool takes_input(Do what) { return what <= Do::MulRsqrt; }

// The i-th input at an index: eight neighbours of an array whose innermost stride is 1, or one element for all.
template <class N>
ARENASCOPE_DEVICE void fetch(const PointwiseWork& p, int input, const int64_t (&index)[kPlaceDims], N (&to)[kVector]) {
  const int64_t at = offset(p.places, input + 1, index);
  if (p.places.strides[input + 1][0] != 0) return get_vector(p.types[input], p.in[input], at, to);
  const N x = get<N>(p.types[input], p.in[input], at);
  ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) to[j] = x;
}

template <class N>
ARENASCOPE_DEVICE void pointwise(const PointwiseWork& p) {
  const int64_t first = block() * threads() + thread(), all = blocks() * threads();
  int64_t index[kPlaceDims];
  int64_t done = 0;
  if (p.vector) {
    const int64_t vectors = p.places.count / kVector;
    for (int64_t v = first; v < vectors; v += all) {
      N x[kVector] = {}, y[kVector] = {}, z[kVector] = {};
      unravel(p.places, v * kVector, index);
      for (int s = 0; s < p.steps; ++s) {
        const PointwiseStep& step = p.step[s];
        if (takes_input(step.what)) fetch(p, step.input, index, y);
        if (step.what == Do::Where) fetch(p, step.input + 1, index, z);
        vector_step(step, p.is_unsigned, x, y, z);
      }
      put_vector(p.out_type, p.out, offset(p.places, 0, index), x);
    }
    done = vectors * kVector;
  }
  for (int64_t i = done + first; i < p.places.count; i += all) {
    N x = 0, y = 0, z = 0;
    unravel(p.places, i, index);
    for (int s = 0; s < p.steps; ++s) {
      const PointwiseStep& step = p.step[s];
      const int in = step.input;
      if (takes_input(step.what)) y = get_one<N>(p.types[in], p.in[in], offset(p.places, in + 1, index));
      if (step.what == Do::Where) z = get_one<N>(p.types[in + 1], p.in[in + 1], offset(p.places, in + 2, index));
      x = step.what == Do::Load ? y : one_step(step, p.is_unsigned, x, y, z);
    }
    put_one(p.out_type, p.out, offset(p.places, 0, index), x);
  }
}

ARENASCOPE_KERNEL(pointwise_f32, PointwiseWork) { pointwise<float>(p); }
ARENASCOPE_KERNEL(pointwise_f64, PointwiseWork) { pointwise<double>(p); }
ARENASCOPE_KERNEL(pointwise_whole, PointwiseWork) { pointwise<int64_t>(p); }

}  // namespace arenascope::cuda
