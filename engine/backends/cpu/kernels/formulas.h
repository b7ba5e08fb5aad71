// SPDX-License-Identifier: MIT
// The formulas of graph/elementwise.h in C++, for float, double, int64_t and uint64_t.
#pragma once
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <arenascope/graph/elementwise.h>
#include <arenascope/graph/op.h>

namespace arenascope::cpu::formulas {

// The functions of <cmath> that have the same name in OpenCL C and CUDA.
using std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atan2, std::atanh, std::cbrt, std::ceil,
    std::copysign, std::cos, std::cosh, std::erf, std::erfc, std::exp, std::exp2, std::expm1, std::fabs, std::floor,
    std::fma, std::fmax, std::fmin, std::fmod, std::hypot, std::isinf, std::isnan, std::log, std::log10, std::log1p,
    std::log2, std::pow, std::rint, std::round, std::sin, std::sinh, std::sqrt, std::tan, std::tanh, std::trunc;

template <class N>
N lesser(N x, N y) {
  return y < x ? y : x;
}
template <class N>
N larger(N x, N y) {
  return x < y ? y : x;
}
template <class N>
N limited(N x, N low, N high) {
  return x < low ? low : high < x ? high : x;
}

// Integers wrap. The suffix `u` is redundant here: the type decides.
template <class N>
uint64_t bits(N x) {
  return static_cast<uint64_t>(x);
}
template <class N>
bool less(N x, N y, bool) {
  return x < y;
}
template <class N>
N least(N x, N y, bool) {
  return y < x ? y : x;
}
template <class N>
N most(N x, N y, bool) {
  return x < y ? y : x;
}
template <class N>
N negative(N x) {
  return static_cast<N>(0 - bits(x));
}
template <class N>
N sum(N x, N y) {
  return static_cast<N>(bits(x) + bits(y));
}
template <class N>
N difference(N x, N y) {
  return static_cast<N>(bits(x) - bits(y));
}
template <class N>
N product(N x, N y) {
  return static_cast<N>(bits(x) * bits(y));
}
template <class N>
N quotient(N x, N y, bool) {
  if (y == 0) return 0;
  if constexpr (std::is_signed_v<N>)
    if (y == -1) return negative(x);
  return x / y;
}
// The result has the sign of the divisor.
template <class N>
N floor_mod(N x, N y, bool) {
  if (y == 0) return 0;
  if constexpr (std::is_signed_v<N>) {
    if (y == -1) return 0;
    const N rest = x % y;
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  }
  return x % y;
}
template <class N>
N power(N x, N y) {
  if constexpr (std::is_signed_v<N>)
    if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  uint64_t out = 1, factor = bits(x);
  for (uint64_t e = bits(y); e != 0; e >>= 1, factor *= factor)
    if (e & 1) out *= factor;
  return static_cast<N>(out);
}

template <class N>
N shifted_left(N x, N y) {
  return bits(y) < 64 ? static_cast<N>(bits(x) << bits(y)) : N{0};
}
template <class N>
N shifted_right(N x, N y) {
  return bits(y) < 64 ? static_cast<N>(bits(x) >> bits(y)) : N{0};
}

// The result of an op for an element x, an element y of another input, and its scalars a and b; defined where the op
// has a formula for that class of types.
template <Op kOp, bool kReal>
struct Formula;

#define ARENASCOPE_FORMULA(id, real, expression)                                                             \
  template <>                                                                                                \
  struct Formula<Op::id, real> {                                                                             \
    template <class N>                                                                                       \
    static auto of([[maybe_unused]] N x, [[maybe_unused]] N y, [[maybe_unused]] N a, [[maybe_unused]] N b) { \
      [[maybe_unused]] constexpr auto K = [](auto v) { return static_cast<N>(v); };                          \
      [[maybe_unused]] constexpr bool u = std::is_unsigned_v<N>;                                             \
      return expression;                                                                                     \
    }                                                                                                        \
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

template <class N, Op kOp>
using FormulaOf = Formula<kOp, std::is_floating_point_v<N>>;

}  // namespace arenascope::cpu::formulas
