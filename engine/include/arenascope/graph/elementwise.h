// SPDX-License-Identifier: MIT
// The formulas of the pointwise ops, shared by all backends: C++ on the CPU, CUDA, and OpenCL C as text. The reference
// backend has its own formulas, against which these are tested. An op of op_list.h without a formula here is a compile
// error in each of the three.
//
// Floating point (float or double, in OpenCL also float4): x is the element of the first source, y of the second, a and
// b are the op's scalars (scalars_of()), K(v) is a constant of the arithmetic type. Available are the functions of
// <cmath> and
//   lesser(x, y), larger(x, y), limited(x, low, high)
// Integers (int64_t, or uint64_t where `u` is true; a narrower result type keeps the low bits), all wrapping:
//   less(x, y, u), least(x, y, u), most(x, y, u), negative(x), sum(x, y), difference(x, y), product(x, y),
//   quotient(x, y, u) and floor_mod(x, y, u), 0 where y is 0, power(x, y), shifted_left(x, y), shifted_right(x, y)
#pragma once

// clang-format off
#define ARENASCOPE_REAL_BINARY_FORMULAS(F) \
  F(Add, x + y) \
  F(Sub, x - y) \
  F(Mul, x * y) \
  F(Div, x / y) \
  F(Pow, pow(x, y)) \
  F(Min, isnan(x) | (x < y) ? x : y) \
  F(Max, isnan(x) | (x > y) ? x : y) \
  F(Mod, fmod(x, y))

#define ARENASCOPE_INTEGER_BINARY_FORMULAS(F) \
  F(Add, sum(x, y)) \
  F(Sub, difference(x, y)) \
  F(Mul, product(x, y)) \
  F(Div, quotient(x, y, u)) \
  F(Pow, power(x, y)) \
  F(Min, least(x, y, u)) \
  F(Max, most(x, y, u)) \
  F(Mod, floor_mod(x, y, u)) \
  F(BitAnd, x & y) \
  F(BitOr, x | y) \
  F(BitXor, x ^ y) \
  F(ShiftLeft, shifted_left(x, y)) \
  F(ShiftRight, shifted_right(x, y))

#define ARENASCOPE_REAL_COMPARISON_FORMULAS(F) \
  F(Equal, x == y) \
  F(Less, x < y) \
  F(LessEqual, x <= y) \
  F(Greater, x > y) \
  F(GreaterEqual, x >= y) \
  F(And, (x != 0) & (y != 0)) \
  F(Or, (x != 0) | (y != 0)) \
  F(Xor, (x != 0) != (y != 0))

#define ARENASCOPE_INTEGER_COMPARISON_FORMULAS(F) \
  F(Equal, x == y) \
  F(Less, less(x, y, u)) \
  F(LessEqual, !less(y, x, u)) \
  F(Greater, less(y, x, u)) \
  F(GreaterEqual, !less(x, y, u)) \
  F(And, (x != 0) & (y != 0)) \
  F(Or, (x != 0) | (y != 0)) \
  F(Xor, (x != 0) != (y != 0))

#define ARENASCOPE_REAL_UNARY_FORMULAS(F) \
  F(Neg, -x) \
  F(Abs, fabs(x)) \
  F(Sign, isnan(x) ? x : K((x > 0) - (x < 0))) \
  F(Floor, floor(x)) \
  F(Ceil, ceil(x)) \
  F(Round, rint(x)) \
  F(Relu, x < 0 ? K(0) : x) \
  F(Clamp, isnan(x) ? x : lesser(larger(x, a), b)) \
  F(Not, x == 0) \
  F(Sqrt, sqrt(x)) \
  F(Reciprocal, 1 / x) \
  F(Exp, exp(x)) \
  F(Log, log(x)) \
  F(Erf, erf(x)) \
  F(Sin, sin(x)) \
  F(Cos, cos(x)) \
  F(Tan, tan(x)) \
  F(Asin, asin(x)) \
  F(Acos, acos(x)) \
  F(Atan, atan(x)) \
  F(Sinh, sinh(x)) \
  F(Cosh, cosh(x)) \
  F(Asinh, asinh(x)) \
  F(Acosh, acosh(x)) \
  F(Atanh, atanh(x)) \
  F(Tanh, tanh(x)) \
  F(Sigmoid, 1 / (1 + exp(-x))) \
  F(LeakyRelu, x < 0 ? a * x : x) \
  F(Elu, x < 0 ? a * expm1(x) : x) \
  F(Softplus, larger(x, K(0)) + log1p(exp(-fabs(x)))) \
  F(Softsign, x / (1 + fabs(x))) \
  F(Gelu, x / 2 * (1 + erf(x * K(0.70710678118654752440)))) \
  F(GeluTanh, x / 2 * (1 + tanh(K(0.79788456080286535588) * (x + K(0.044715) * x * x * x)))) \
  F(Silu, x / (1 + exp(-x))) \
  F(Mish, x * tanh(larger(x, K(0)) + log1p(exp(-fabs(x))))) \
  F(HardSigmoid, limited(a * x + b, K(0), K(1))) \
  F(HardSwish, x * limited(a * x + b, K(0), K(1))) \
  F(Scale, a * x + b) \
  F(IsNan, isnan(x))

#define ARENASCOPE_INTEGER_UNARY_FORMULAS(F) \
  F(Neg, negative(x)) \
  F(Abs, less(x, K(0), u) ? negative(x) : x) \
  F(Sign, K(less(K(0), x, u)) - K(less(x, K(0), u))) \
  F(Floor, x) \
  F(Ceil, x) \
  F(Round, x) \
  F(Relu, less(x, K(0), u) ? K(0) : x) \
  F(Clamp, least(most(x, a, u), b, u)) \
  F(Not, x == 0) \
  F(BitNot, ~x) \
  F(IsNan, K(0))
// clang-format on
