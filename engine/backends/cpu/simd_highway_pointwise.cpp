// SPDX-License-Identifier: MIT
// Element-by-element loops with Google Highway, compiled once for each kind of processor.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/backends/cpu/simd_highway_pointwise.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <arenascope/backends/cpu/simd.h>

HWY_BEFORE_NAMESPACE();
namespace arenascope::cpu {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr D d;

V number(double x) { return hn::Set(d, static_cast<float>(x)); }

// NaN wins, as in the portable loops.
V with_nan(V a, V b, V value) {
  return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, value));
}

struct Plus { static V of(V a, V b) { return hn::Add(a, b); } };
struct Minus { static V of(V a, V b) { return hn::Sub(a, b); } };
struct Times { static V of(V a, V b) { return hn::Mul(a, b); } };
struct Over { static V of(V a, V b) { return hn::Div(a, b); } };
struct Least { static V of(V a, V b) { return with_nan(a, b, hn::Min(a, b)); } };
struct Most { static V of(V a, V b) { return with_nan(a, b, hn::Max(a, b)); } };

// e^x; Highway's is right up to 104, from where on the result is infinite anyway.
V exp_of(V x) {
  const V y = hn::Exp(d, hn::Min(hn::Max(x, number(-200)), number(100)));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}
V sigmoid_of(V x) { return hn::Div(number(1), hn::Add(number(1), exp_of(hn::Neg(x)))); }
V tanh_of(V x) { return hn::IfThenElse(hn::IsNaN(x), x, hn::Tanh(d, hn::Min(hn::Max(x, number(-20)), number(20)))); }
V log_of(V x) {
  const V bounded = hn::IfThenElse(hn::Gt(x, number(0)), x, number(1));
  V y = hn::Log(d, hn::Min(bounded, hn::Set(d, 3.4028234e38f)));
  y = hn::IfThenElse(hn::Gt(x, hn::Set(d, 3.4028234e38f)), x, y);
  y = hn::IfThenElse(hn::Eq(x, number(0)), hn::Neg(hn::Inf(d)), y);
  return hn::IfThenElse(hn::Lt(x, number(0)), hn::NaN(d), hn::IfThenElse(hn::IsNaN(x), x, y));
}
V softplus_of(V x) {
  return hn::Add(hn::Max(number(0), x), hn::Log1p(d, exp_of(hn::Neg(hn::Abs(x)))));
}

// Near 0 the Maclaurin series; elsewhere 1 − erfc by a Chebyshev fit in t = 1 / (1 + |x|/2) (relative error 1.2e-7).
V erf_of(V x) {
  const V s = hn::Mul(x, x);
  V near = number(-1.0 / 1320);
  for (double c : {1.0 / 216, -1.0 / 42, 1.0 / 10, -1.0 / 3, 1.0}) near = hn::MulAdd(near, s, number(c));
  near = hn::Mul(hn::Mul(near, x), number(1.1283791670955126));
  const V z = hn::Abs(x), t = hn::Div(number(1), hn::MulAdd(number(0.5), z, number(1)));
  V fit = number(0.17087277);
  for (double c : {-0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
                   -1.26551223})
    fit = hn::MulAdd(fit, t, number(c));
  const V far = hn::CopySign(hn::Sub(number(1), hn::Mul(t, exp_of(hn::NegMulAdd(z, z, fit)))), x);
  return hn::IfThenElse(hn::Lt(z, number(0.5)), near, far);
}

struct Affine { static V of(V x, V p, V q) { return hn::MulAdd(p, x, q); } };
struct Clamp { static V of(V x, V p, V q) { return hn::IfThenElse(hn::IsNaN(x), x, hn::Min(hn::Max(x, p), q)); } };
struct Relu { static V of(V x, V, V) { return hn::Max(number(0), x); } };
struct LeakyRelu { static V of(V x, V p, V) { return hn::IfThenElse(hn::Lt(x, number(0)), hn::Mul(p, x), x); } };
struct Elu {
  static V of(V x, V p, V) {
    const V below = hn::Mul(p, hn::Expm1(d, hn::Min(hn::Max(x, number(-100)), number(0))));
    return hn::IfThenElse(hn::Lt(x, number(0)), below, x);
  }
};
struct Exp { static V of(V x, V, V) { return exp_of(x); } };
struct Log { static V of(V x, V, V) { return log_of(x); } };
struct Erf { static V of(V x, V, V) { return erf_of(x); } };
struct Tanh { static V of(V x, V, V) { return tanh_of(x); } };
struct Sigmoid { static V of(V x, V, V) { return sigmoid_of(x); } };
struct Silu { static V of(V x, V, V) { return hn::Mul(x, sigmoid_of(x)); } };
struct Gelu {
  static V of(V x, V, V) {
    return hn::Mul(hn::Mul(number(0.5), x), hn::Add(number(1), erf_of(hn::Mul(x, number(0.70710678118654752)))));
  }
};
struct GeluTanh {
  static V of(V x, V, V) {
    const V inner = hn::Mul(number(0.79788456080286536), hn::MulAdd(hn::Mul(number(0.044715), x), hn::Mul(x, x), x));
    return hn::Mul(hn::Mul(number(0.5), x), hn::Add(number(1), tanh_of(inner)));
  }
};
struct Softplus { static V of(V x, V, V) { return softplus_of(x); } };
struct Mish { static V of(V x, V, V) { return hn::Mul(x, tanh_of(softplus_of(x))); } };
struct HardSigmoid { static V of(V x, V p, V q) { return Clamp::of(hn::MulAdd(p, x, q), number(0), number(1)); } };
struct HardSwish { static V of(V x, V p, V q) { return hn::Mul(x, HardSigmoid::of(x, p, q)); } };
struct Sqrt { static V of(V x, V, V) { return hn::Sqrt(x); } };
struct Reciprocal { static V of(V x, V, V) { return hn::Div(number(1), x); } };

template <class F>
void pairs(float* out, const float* a, const float* b, int64_t n) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(F::of(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  if (i == n) return;
  HWY_ALIGN float tail_a[HWY_MAX_BYTES / 4] = {}, tail_b[HWY_MAX_BYTES / 4] = {};
  for (int64_t j = i; j < n; ++j) tail_a[j - i] = a[j], tail_b[j - i] = b[j];
  hn::Store(F::of(hn::Load(d, tail_a), hn::Load(d, tail_b)), d, tail_a);
  for (int64_t j = i; j < n; ++j) out[j] = tail_a[j - i];
}

template <class F>
void each(float* out, const float* x, int64_t n, float p, float q) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V vp = hn::Set(d, p), vq = hn::Set(d, q);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(F::of(hn::LoadU(d, x + i), vp, vq), d, out + i);
  if (i == n) return;
  HWY_ALIGN float tail[HWY_MAX_BYTES / 4] = {};
  for (int64_t j = i; j < n; ++j) tail[j - i] = x[j];
  hn::Store(F::of(hn::Load(d, tail), vp, vq), d, tail);
  for (int64_t j = i; j < n; ++j) out[j] = tail[j - i];
}

void fill(Simd& t) {
  t.name = hwy::TargetName(HWY_TARGET);
  t.add = pairs<Plus>, t.sub = pairs<Minus>, t.mul = pairs<Times>, t.div = pairs<Over>;
  t.min = pairs<Least>, t.max = pairs<Most>;
  t.affine = each<Affine>, t.clamp = each<Clamp>, t.relu = each<Relu>, t.leaky_relu = each<LeakyRelu>;
  t.elu = each<Elu>, t.exp = each<Exp>, t.log = each<Log>, t.erf = each<Erf>, t.tanh = each<Tanh>;
  t.sigmoid = each<Sigmoid>, t.silu = each<Silu>, t.gelu = each<Gelu>, t.gelu_tanh = each<GeluTanh>;
  t.softplus = each<Softplus>, t.mish = each<Mish>, t.hard_sigmoid = each<HardSigmoid>;
  t.hard_swish = each<HardSwish>, t.sqrt = each<Sqrt>, t.reciprocal = each<Reciprocal>;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace arenascope::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arenascope::cpu {
HWY_EXPORT(fill);
void fill_highway_pointwise(Simd& table) { HWY_DYNAMIC_DISPATCH(fill)(table); }
}  // namespace arenascope::cpu
#endif
