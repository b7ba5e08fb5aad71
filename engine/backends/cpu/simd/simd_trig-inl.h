// SPDX-License-Identifier: MIT
// Sine, cosine and their inverses on whole vectors, for files that Highway compiles once per target: include it after
// highway.h, between HWY_BEFORE_NAMESPACE and its end. All are computed in double, by polynomials fitted to an error of
// at most 4e-9, so results are within 0.6 ulp; and tanh (1.4 ulp) where lookup tables fit in registers.
#if defined(ARENASCOPE_SIMD_TRIG_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARENASCOPE_SIMD_TRIG_INL_H
#undef ARENASCOPE_SIMD_TRIG_INL_H
#else
#define ARENASCOPE_SIMD_TRIG_INL_H
#endif

#include <hwy/highway.h>

#include <cmath>

#include "engine/backends/cpu/simd/simd_math-inl.h"

#undef ARENASCOPE_DOUBLE_MATH
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
#define ARENASCOPE_DOUBLE_MATH 1
#else
#define ARENASCOPE_DOUBLE_MATH 0
#endif

HWY_BEFORE_NAMESPACE();
namespace arenascope::cpu::HWY_NAMESPACE {
namespace math {

#if ARENASCOPE_DOUBLE_MATH
using DD = hn::Repartition<double, D>;
using VD = hn::Vec<DD>;
[[maybe_unused]] constexpr DD dd;
inline VD wide(double x) { return hn::Set(dd, x); }

// Applies a function of doubles to all lanes of a float vector.
template <VD (*function)(VD)>
V in_double(V x) {
  const hn::Half<D> half;
  const VD low = function(hn::PromoteTo(dd, hn::LowerHalf(half, x))),
           high = function(hn::PromoteTo(dd, hn::UpperHalf(half, x)));
  return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

// The sine of x plus that many quarter turns; |x| ≤ 2^25.
template <int quarters>
VD sine(VD x) {
  const hn::RebindToSigned<DD> di;
  const VD shifted = hn::MulAdd(x, wide(0.63661977236758134308), wide(0x1.8p52)), n = hn::Sub(shifted, wide(0x1.8p52));
  const VD r = hn::NegMulAdd(n, wide(6.123233995736766e-17), hn::NegMulAdd(n, wide(1.5707963267948966), x));
  const VD z = hn::Mul(r, r);
  VD odd = wide(-0.00019517297900568757);
  for (double c : {0.008332178136239947, -0.16666654943490794}) odd = hn::MulAdd(odd, z, wide(c));
  odd = hn::MulAdd(hn::Mul(odd, z), r, r);
  VD even = wide(2.4438449694878725e-05);
  for (double c : {-0.0013887367496837587, 0.041666646865988984, -0.5, 1.0}) even = hn::MulAdd(even, z, wide(c));
  // The number of quarter turns is in the lowest bits.
  const auto quarter = hn::Add(hn::BitCast(di, shifted), hn::Set(di, quarters));
  const auto is_even = hn::Eq(hn::And(quarter, hn::Set(di, 1)), hn::Set(di, 1));
  const VD y = hn::IfThenElse(hn::RebindMask(dd, is_even), even, odd);
  return hn::Xor(y, hn::BitCast(dd, hn::ShiftLeft<62>(hn::And(quarter, hn::Set(di, 2)))));
}

// The few lanes beyond that range, one by one.
template <int quarters>
V sine_of(V x) {
  const V y = in_double<sine<quarters>>(x);
  const auto near = hn::Lt(hn::Abs(x), number(0x1p25));
  if (hn::AllTrue(d, near)) return y;
  HWY_ALIGN float from[HWY_MAX_BYTES / 4], to[HWY_MAX_BYTES / 4];
  hn::Store(x, d, from), hn::Store(y, d, to);
  for (size_t i = 0; i < hn::Lanes(d); ++i)
    if (!(std::abs(from[i]) < 0x1p25f)) to[i] = quarters == 0 ? std::sin(from[i]) : std::cos(from[i]);
  return hn::Load(d, to);
}
inline V sin_of(V x) { return sine_of<0>(x); }
inline V cos_of(V x) { return sine_of<1>(x); }

// For |x| ≤ 1/2.
inline VD small_asin(VD x) {
  const VD z = hn::Mul(x, x);
  VD p = wide(0.03756518359439851);
  for (double c :
       {0.014402618748188909, 0.031817608194855095, 0.044515720652019766, 0.07500510915975009, 0.16666659871908074})
    p = hn::MulAdd(p, z, wide(c));
  return hn::MulAdd(hn::Mul(p, z), x, x);
}
constexpr double kQuarterTurn = 1.5707963267948966;
// Beyond 1/2: twice the arcsine of √((1 − |x|)/2), which is NaN beyond 1.
inline VD asin_in_double(VD x) {
  const VD z = hn::Abs(x), over = hn::Sqrt(hn::Mul(hn::Sub(wide(1), z), wide(0.5)));
  const auto small = hn::Le(z, wide(0.5));
  const VD arc = small_asin(hn::IfThenElse(small, z, over));
  return hn::CopySign(hn::IfThenElse(small, arc, hn::NegMulAdd(wide(2), arc, wide(kQuarterTurn))), x);
}
inline VD acos_in_double(VD x) {
  const VD z = hn::Abs(x), over = hn::Sqrt(hn::Mul(hn::Sub(wide(1), z), wide(0.5)));
  const auto small = hn::Le(z, wide(0.5));
  const VD arc = small_asin(hn::IfThenElse(small, x, over)), twice = hn::Add(arc, arc);
  const VD far = hn::IfThenElse(hn::Lt(x, hn::Zero(dd)), hn::Sub(wide(2 * kQuarterTurn), twice), twice);
  return hn::IfThenElse(small, hn::Sub(wide(kQuarterTurn), arc), far);
}
inline VD atan_in_double(VD x) {
  const VD z = hn::Abs(x);
  const auto far = hn::Gt(z, wide(1));
  const VD t = hn::IfThenElse(far, hn::Div(wide(-1), z), z), s = hn::Mul(t, t);
  VD p = wide(-0.0018271852129133298);
  for (double c : {0.011064317594900095, -0.03145547399990563, 0.05823432511702418, -0.08419446269632921,
                   0.10957571959611583, -0.14265244620341747, 0.19998638554716575, -0.33333301864646536})
    p = hn::MulAdd(p, s, wide(c));
  const VD arc = hn::MulAdd(hn::Mul(p, s), t, t);
  return hn::CopySign(hn::IfThenElse(far, hn::Add(wide(kQuarterTurn), arc), arc), x);
}
inline V asin_of(V x) { return in_double<asin_in_double>(x); }
inline V acos_of(V x) { return in_double<acos_in_double>(x); }
inline V atan_of(V x) { return in_double<atan_in_double>(x); }
#endif

#if ARENASCOPE_WIDE_MATH
// tanh(z) for z ≥ 0 around the multiples of 0.6: polynomials of degree 7 fitted to a relative error of 1e-8, one column
// per multiple. Column 0 is odd. The last one, from 8.7 on, is 1: as with other implementations, large inputs become
// exactly 1, so that the scale and zero point of quantised results are the same.
alignas(64) inline constexpr float kTanh[8][16] = {
    {0.0f, 5.370495915e-01f, 8.336545825e-01f, 9.468060136e-01f, 9.836748838e-01f, 9.950547814e-01f, 9.985079169e-01f,
     9.995503426e-01f, 9.998645782e-01f, 9.999592304e-01f, 9.999877214e-01f, 9.999963045e-01f, 9.999988675e-01f,
     9.999996424e-01f, 9.999998808e-01f, 1.0f},
    {1.000000000e+00f, 7.115777731e-01f, 3.050199747e-01f, 1.035583764e-01f, 3.238377348e-02f, 9.866037406e-03f,
     2.981889062e-03f, 8.990649367e-04f, 2.708782558e-04f, 8.159468416e-05f, 2.457654773e-05f, 7.402377378e-06f,
     2.229558959e-06f, 6.715308132e-07f, 2.022612335e-07f, 0.0f},
    {0.0f, -3.821528256e-01f, -2.542816699e-01f, -9.804955125e-02f, -3.185509145e-02f, -9.817249142e-03f,
     -2.977441298e-03f, -8.986611501e-04f, -2.708417305e-04f, -8.159140270e-05f, -2.457626033e-05f, -7.402354186e-06f,
     -2.229557822e-06f, -6.715309269e-07f, -2.022613330e-07f, 0.0f},
    {-3.333306313e-01f, -3.196107969e-02f, 1.103107780e-01f, 5.831445009e-02f, 2.054044977e-02f, 6.480018608e-03f,
     1.979035093e-03f, 5.985685857e-04f, 1.805122156e-04f, 5.438982771e-05f, 1.638377034e-05f, 4.934865956e-06f,
     1.486368546e-06f, 4.476869151e-07f, 1.348408176e-07f, 0.0f},
    {0.0f, 1.445650905e-01f, -7.180611603e-03f, -2.253725007e-02f, -9.587551467e-03f, -3.175431862e-03f,
     -9.835230885e-04f, -2.987180778e-04f, -9.019850404e-05f, -2.718782162e-05f, -8.190680092e-06f, -2.467154445e-06f,
     -7.431081031e-07f, -2.238213028e-07f, -6.741377945e-08f, 0.0f},
    {1.331487298e-01f, -5.103096738e-02f, -2.403181233e-02f, 4.198121373e-03f, 3.303935286e-03f, 1.219113357e-03f,
     3.886971390e-04f, 1.190579569e-04f, 3.604053563e-05f, 1.087164219e-05f, 3.275970130e-06f, 9.868399502e-07f,
     2.972417690e-07f, 8.952992658e-08f, 2.696638113e-08f, 0.0f},
    {0.0f, -2.955836616e-02f, 1.641693152e-02f, 1.499922713e-03f, -7.479028427e-04f, -3.749644675e-04f,
     -1.278299897e-04f, -3.989033576e-05f, -1.214176154e-05f, -3.668579211e-06f, -1.106006152e-06f, -3.332186509e-07f,
     -1.003710750e-07f, -3.023153283e-08f, -9.105896481e-09f, 0.0f},
    {-5.036887154e-02f, 2.856905572e-02f, -3.645851742e-03f, -1.658360590e-03f, 2.506253441e-05f, 8.735831943e-05f,
     3.464231122e-05f, 1.122160756e-05f, 3.452194733e-06f, 1.046372518e-06f, 3.157441029e-07f, 9.514536004e-08f,
     2.866942594e-08f, 8.627790038e-09f, 2.596085125e-09f, 0.0f},
};

inline V tanh_of(V x) {
  const V z = hn::Abs(x), bounded = hn::Min(number(9.25), z);
  const V shifted = hn::MulAdd(bounded, number(1 / 0.6), number(8388608));
  const V t = hn::NegMulAdd(hn::Sub(shifted, number(8388608)), number(0.6), bounded);
  const __m512i place = _mm512_castps_si512(shifted.raw);
  const auto factor = [&](int k) { return V{_mm512_permutexvar_ps(place, _mm512_load_ps(kTanh[k]))}; };
  V y = factor(7);
#pragma GCC unroll 7
  for (int k = 6; k >= 0; --k) y = hn::MulAdd(y, t, factor(k));
  return hn::CopySign(y, x);
}
#else
inline V tanh_of(V x) {
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Tanh(d, hn::Min(hn::Max(x, number(-20)), number(20))));
}
#endif

}  // namespace math
}  // namespace arenascope::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
