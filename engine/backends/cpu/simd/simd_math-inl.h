// SPDX-License-Identifier: MIT
// Math functions on whole vectors, for files that Highway compiles once per target: include it after highway.h, between
// HWY_BEFORE_NAMESPACE and its end. Bounds are in units in the last place of the result (ulp).
//   exp_of                2 ulp, also for subnormal results
//   exp_below_zero_of     4 ulp below 0
//   two_to                2 ulp
//   sigmoid_of, silu_of   5 ulp; may be 0 where x < -88
//   gelu_of, gelu_tanh_of 2^-22·|x|
#if defined(ARENASCOPE_SIMD_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARENASCOPE_SIMD_MATH_INL_H
#undef ARENASCOPE_SIMD_MATH_INL_H
#else
#define ARENASCOPE_SIMD_MATH_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>
#include "engine/backends/cpu/simd/simd_target-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arenascope::cpu::HWY_NAMESPACE {
namespace math {
using namespace floats;

inline V number(double x) { return hn::Set(d, static_cast<float>(x)); }

#undef ARENASCOPE_WIDE_MATH
// value · 2^exponent for integer exponents.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
#define ARENASCOPE_WIDE_MATH 1
inline V times_two_to(V value, V exponent) { return V{_mm512_scalef_ps(value.raw, exponent.raw)}; }
#else
#define ARENASCOPE_WIDE_MATH 0
inline V times_two_to(V value, V exponent) {
  // In two steps, so that each factor is a normal number.
  const hn::RebindToSigned<D> di;
  const auto e = hn::ConvertTo(di, exponent), half = hn::ShiftRight<1>(e), bias = hn::Set(di, 127);
  const V a = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(half, bias)));
  const V b = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::Sub(e, half), bias)));
  return hn::Mul(hn::Mul(value, a), b);
}
#endif

// e^x with x = n·ln 2 + r, |r| ≤ ln 2 / 2, and a polynomial for e^r (relative error 1e-8). NaN stays NaN: Max and Min
// return their second operand if one is NaN. Without `fine`, ln 2 is one constant where FMA is missing, which adds an
// error of 2.7e-9·|x|.
template <bool fine = true>
V exp_within(V bounded) {
  const V shifted = hn::MulAdd(bounded, number(1.4426950408889634), number(12582912));
  const V n = hn::Sub(shifted, number(12582912));
  V r;
  if constexpr (fine || HWY_NATIVE_FMA == 0) {
    r = hn::NegMulAdd(n, number(0.693145751953125), bounded);
    r = hn::NegMulAdd(n, number(1.42860682030941723212e-6), r);
  } else {
    r = hn::NegMulAdd(n, number(0.69314718055994530942), bounded);
  }
  V p = number(1.39013e-3);
  for (double c : {8.36314e-3, 4.166685e-2, 0.16666577, 0.5, 1.0, 1.0}) p = hn::MulAdd(p, r, number(c));
  return times_two_to(p, n);
}
#if ARENASCOPE_WIDE_MATH
inline V kept_nan(V, V y) { return y; }
#else
inline V kept_nan(V x, V y) {
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}  // Max and Min do not propagate NaN on every CPU
#endif
inline V exp_of(V x) { return kept_nan(x, exp_within(hn::Min(number(90), hn::Max(number(-105), x)))); }
// For x that exceeds 0 by at most a rounding error.
inline V exp_below_zero_of(V x) { return kept_nan(x, exp_within<false>(hn::Max(number(-105), x))); }
// 2^x by a polynomial for the fractional part of x (relative error 9.2e-8, 2^0 is 1); infinite or NaN from 128 on.
inline V two_to(V x) {
#if !ARENASCOPE_WIDE_MATH
  const V given = x;
  x = hn::IfThenElse(hn::Gt(x, number(130)), number(130), x);
#endif
  x = hn::Max(number(-160), x);
  const V n = hn::Round(x), r = hn::Sub(x, n);
  V p = number(0.0013264726891002766);
  for (double c : {0.009671512910247981, 0.05550733746590453, 0.24022242081005363, 0.6931469775957892, 1.0})
    p = hn::MulAdd(p, r, number(c));
#if ARENASCOPE_WIDE_MATH
  return times_two_to(p, n);
#else
  return kept_nan(given, times_two_to(p, n));
#endif
}

#if ARENASCOPE_WIDE_MATH
// 2^(k/16)
alignas(64) inline constexpr float kRoots[16] = {
    1.000000000e+00f, 1.044273782e+00f, 1.090507733e+00f, 1.138788635e+00f, 1.189207115e+00f, 1.241857812e+00f,
    1.296839555e+00f, 1.354255547e+00f, 1.414213562e+00f, 1.476826146e+00f, 1.542210825e+00f, 1.610490332e+00f,
    1.681792831e+00f, 1.756252160e+00f, 1.834008086e+00f, 1.915206561e+00f};
// 1 + e^-x, infinite below -88.7. e^-x is 2^t·e^r for a multiple t of 1/16, whose fractional part selects one of kRoots,
// and |r| ≤ ln 2 / 32 (relative error of the polynomial 3e-9).
inline V one_and_exp_of_minus(V x) {
  const V bounded{_mm512_range_ps(x.raw, number(105).raw, 2)};  // the smaller magnitude, with the sign of x
  const V rounding = number(786432);  // the last four bits of a sum with it are the fractional part
  const V shifted = hn::NegMulAdd(bounded, number(1.4426950408889634), rounding), t = hn::Sub(shifted, rounding);
  V r = hn::NegMulSub(t, number(0.693145751953125), bounded);
  r = hn::NegMulAdd(t, number(1.42860682030941723212e-6), r);
  V p = number(0.16666666666666666);
  for (double c : {0.5000195, 1.0, 1.0}) p = hn::MulAdd(p, r, number(c));
  const V root{_mm512_permutexvar_ps(_mm512_castps_si512(shifted.raw), _mm512_load_ps(kRoots))};
  return hn::Add(number(1), times_two_to(hn::Mul(root, p), t));  // which rounds t down
}
#else
// 1 + e^-x, infinite below -88.7.
inline V one_and_exp_of_minus(V x) {
  return hn::Add(number(1), exp_within<false>(hn::Neg(hn::Min(number(105), hn::Max(number(-90), x)))));
}
#endif
// vrangeps does not propagate NaN.
inline V sigmoid_of(V x) { return hn::IfThenElse(hn::IsNaN(x), x, hn::Div(number(1), one_and_exp_of_minus(x))); }
inline V silu_of(V x) { return kept_nan(x, hn::Div(x, one_and_exp_of_minus(x))); }

// Near 0 the Maclaurin series; elsewhere 1 − erfc by a Chebyshev fit in t = 1 / (1 + |x|/2) (relative error 1.2e-7).
inline V erf_of(V x) {
  const V s = hn::Mul(x, x);
  V near = number(-1.0 / 1320);
  for (double c : {1.0 / 216, -1.0 / 42, 1.0 / 10, -1.0 / 3, 1.0}) near = hn::MulAdd(near, s, number(c));
  near = hn::Mul(hn::Mul(near, x), number(1.1283791670955126));
  const V z = hn::Abs(x), t = hn::Div(number(1), hn::MulAdd(number(0.5), z, number(1)));
  V fit = number(0.17087277);
  for (double c :
       {-0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223})
    fit = hn::MulAdd(fit, t, number(c));
  const V far = hn::CopySign(hn::Sub(number(1), hn::Mul(t, exp_of(hn::NegMulAdd(z, z, fit)))), x);
  return hn::IfThenElse(hn::Lt(z, number(0.5)), near, far);
}

#if ARENASCOPE_WIDE_MATH
// Φ(z) − 1/2 for z ≥ 0 around the multiples of 0.36: polynomials of degree 5 fitted to an error of 3.3e-9, one column
// per multiple. Column 0 is odd.
alignas(64) inline constexpr float kGelu[6][16] = {
    {0.0f, 1.405764305e-01f, 2.642374989e-01f, 3.599289083e-01f, 4.250663009e-01f, 4.640696823e-01f, 4.846136664e-01f,
     4.941322588e-01f, 4.980116241e-01f, 4.994023513e-01f, 4.998408912e-01f, 4.999625250e-01f, 4.999921985e-01f,
     4.999985656e-01f, 4.999997672e-01f, 4.999999667e-01f},
    {3.989422760e-01f, 3.739106010e-01f, 3.078512622e-01f, 2.226535040e-01f, 1.414599692e-01f, 7.895015904e-02f,
     3.870685470e-02f, 1.667009920e-02f, 6.306725698e-03f, 2.095970507e-03f, 6.119021026e-04f, 1.569258039e-04f,
     3.535269709e-05f, 6.996272258e-06f, 1.216261779e-06f, 1.857393617e-07f},
    {0.0f, -6.730240438e-02f, -1.108246304e-01f, -1.202319658e-01f, -1.018514078e-01f, -7.105594145e-02f,
     -4.180408061e-02f, -2.100460941e-02f, -9.081675829e-03f, -3.395360622e-03f, -1.101327247e-03f, -3.106596058e-04f,
     -7.633938211e-05f, -1.636372268e-05f, -3.062882717e-06f, -5.010085477e-07f},
    {-6.648929563e-02f, -5.424109948e-02f, -2.471052816e-02f, 6.173903581e-03f, 2.531111744e-02f, 2.947458074e-02f,
     2.364759290e-02f, 1.486560485e-02f, 7.667445780e-03f, 3.317802425e-03f, 1.219690755e-03f, 3.839533471e-04f,
     1.040502439e-04f, 2.436556708e-05f, 4.944027284e-06f, 8.711016025e-07f},
    {0.0f, 1.597502053e-02f, 2.276861344e-02f, 1.829549078e-02f, 7.882294893e-03f, -1.355218836e-03f, -5.746627862e-03f,
     -5.841175185e-03f, -4.007760629e-03f, -2.130710008e-03f, -9.221057224e-04f, -3.327339864e-04f, -1.014954665e-04f,
     -2.640108184e-05f, -5.891228717e-06f, -1.132533978e-06f},
    {9.906514829e-03f, 6.932074994e-03f, 4.236068864e-04f, -4.841350367e-03f, -6.020214531e-03f, -3.902088869e-03f,
     -1.055314665e-03f, 7.091970350e-04f, 1.149751455e-03f, 8.759908453e-04f, 4.770119244e-04f, 2.041923110e-04f,
     7.145798917e-05f, 2.086818469e-05f, 5.148858640e-06f, 1.082090474e-06f},
};

// The same for tanh(√(2/π)·(z + 0.044715·z³)) / 2; error 4e-9.
alignas(64) inline constexpr float kGeluTanh[6][16] = {
    {0.0f, 1.405624113e-01f, 2.641533695e-01f, 3.597623050e-01f, 4.249074193e-01f, 4.640330719e-01f, 4.847221209e-01f,
     4.943093843e-01f, 4.981676644e-01f, 4.994984109e-01f, 4.998853942e-01f, 4.999785618e-01f, 4.999967810e-01f,
     4.999996197e-01f, 4.999999653e-01f, 4.999999976e-01f},
    {3.989422758e-01f, 3.738009536e-01f, 3.075938214e-01f, 2.225083800e-01f, 1.416614331e-01f, 7.937892312e-02f,
     3.903299059e-02f, 1.672100517e-02f, 6.166043216e-03f, 1.926605096e-03f, 5.007743415e-04f, 1.061732701e-04f,
     1.799618109e-05f, 2.389974999e-06f, 2.437556926e-07f, 1.871603188e-08f},
    {0.0f, -6.755837393e-02f, -1.108969490e-01f, -1.198531713e-01f, -1.013638525e-01f, -7.096709218e-02f,
     -4.213285816e-02f, -2.137344177e-02f, -9.228156943e-03f, -3.350387682e-03f, -1.005546063e-03f, -2.446754711e-04f,
     -4.730362183e-05f, -7.121095729e-06f, -8.181979424e-07f, -7.033905053e-08f},
    {-6.681834171e-02f, -5.430687708e-02f, -2.433336036e-02f, 6.519787445e-03f, 2.513708223e-02f, 2.900148892e-02f,
     2.341585599e-02f, 1.499781728e-02f, 7.895236427e-03f, 3.428712764e-03f, 1.215138860e-03f, 3.454882844e-04f,
     7.731242304e-05f, 1.335492720e-05f, 1.746819029e-06f, 1.697319552e-07f},
    {0.0f, 1.629076238e-02f, 2.296702271e-02f, 1.804946283e-02f, 7.518326290e-03f, -1.359739019e-03f, -5.474650223e-03f,
     -5.664839058e-03f, -4.039040589e-03f, -2.229594206e-03f, -9.736758310e-04f, -3.345726150e-04f, -8.921038369e-05f,
     -1.816118258e-05f, -2.775892698e-06f, -3.132100220e-07f},
    {1.013136262e-02f, 7.013404195e-03f, 2.192162053e-04f, -5.056513460e-03f, -5.919680408e-03f, -3.667875113e-03f,
     -1.011171848e-03f, 5.900644713e-04f, 1.063730108e-03f, 8.816939672e-04f, 5.118931017e-04f, 2.215514172e-04f,
     7.200617713e-05f, 1.745477851e-05f, 3.120392110e-06f, 4.059649669e-07f},
};

// x/2 + |x|·(the polynomial at |x|).
inline V gelu_by(const float (&table)[6][16], V x) {
  const V z = hn::Abs(x), bounded = hn::Min(number(5.57), z);
  // The index of the nearest multiple is in the low bits, where the table lookup reads it.
  const V shifted = hn::MulAdd(bounded, number(1 / 0.36), number(8388608));
  const V t = hn::NegMulAdd(hn::Sub(shifted, number(8388608)), number(0.36), bounded);
  const __m512i place = _mm512_castps_si512(shifted.raw);
  const auto factor = [&](int k) { return V{_mm512_permutexvar_ps(place, _mm512_load_ps(table[k]))}; };
  V half = factor(5);
#pragma GCC unroll 5
  for (int k = 4; k >= 0; --k) half = hn::MulAdd(half, t, factor(k));
  return hn::MulAdd(z, half, hn::Mul(number(0.5), x));
}
inline V gelu_of(V x) { return gelu_by(kGelu, x); }
inline V gelu_tanh_of(V x) { return gelu_by(kGeluTanh, x); }
#else
inline V gelu_of(V x) {
  return hn::Mul(hn::Mul(number(0.5), x), hn::Add(number(1), erf_of(hn::Mul(x, number(0.70710678118654752)))));
}
// x · sigmoid(2·√(2/π)·(x + 0.044715·x³)), which equals x/2 · (1 + tanh).
inline V gelu_tanh_of(V x) {
  const V inner =
      hn::Mul(x, hn::MulAdd(number(1.5957691216057308 * 0.044715), hn::Mul(x, x), number(1.5957691216057308)));
  return hn::Mul(x, sigmoid_of(inner));
}
#endif

}  // namespace math
}  // namespace arenascope::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
