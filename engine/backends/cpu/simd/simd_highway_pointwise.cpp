// SPDX-License-Identifier: MIT
// Elementwise loops with Google Highway, compiled once per target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/backends/cpu/simd/simd_highway_pointwise.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>
#include "engine/backends/cpu/simd/simd_math-inl.h"
#include "engine/backends/cpu/simd/simd_trig-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace arenascope::cpu::HWY_NAMESPACE {
namespace {
using namespace math;

// NaN wins, as in the portable loops.
V with_nan(V a, V b, V value) { return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, value)); }

struct Plus {
  static V of(V a, V b) { return hn::Add(a, b); }
};
struct Minus {
  static V of(V a, V b) { return hn::Sub(a, b); }
};
struct Times {
  static V of(V a, V b) { return hn::Mul(a, b); }
};
struct Over {
  static V of(V a, V b) { return hn::Div(a, b); }
};
struct Least {
  static V of(V a, V b) { return with_nan(a, b, hn::Min(a, b)); }
};
struct Most {
  static V of(V a, V b) { return with_nan(a, b, hn::Max(a, b)); }
};

V log_of(V x) {
  const V bounded = hn::IfThenElse(hn::Gt(x, number(0)), x, number(1));
  V y = hn::Log(d, hn::Min(bounded, hn::Set(d, 3.4028234e38f)));
  y = hn::IfThenElse(hn::Gt(x, hn::Set(d, 3.4028234e38f)), x, y);
  y = hn::IfThenElse(hn::Eq(x, number(0)), hn::Neg(hn::Inf(d)), y);
  return hn::IfThenElse(hn::Lt(x, number(0)), hn::NaN(d), hn::IfThenElse(hn::IsNaN(x), x, y));
}
V softplus_of(V x) { return hn::Add(hn::Max(number(0), x), hn::Log1p(d, exp_of(hn::Neg(hn::Abs(x))))); }

struct Affine {
  static V of(V x, V p, V q) { return hn::MulAdd(p, x, q); }
};
struct Clamp {
  static V of(V x, V p, V q) { return hn::IfThenElse(hn::IsNaN(x), x, hn::Min(hn::Max(x, p), q)); }
};
struct Relu {
  static V of(V x, V, V) { return hn::Max(number(0), x); }
};
struct LeakyRelu {
  static V of(V x, V p, V) { return hn::IfThenElse(hn::Lt(x, number(0)), hn::Mul(p, x), x); }
};
struct Elu {
  static V of(V x, V p, V) {
    const V below = hn::Mul(p, hn::Expm1(d, hn::Min(hn::Max(x, number(-100)), number(0))));
    return hn::IfThenElse(hn::Lt(x, number(0)), below, x);
  }
};
// A unary function.
template <V (*function)(V)>
struct Of {
  static V of(V x, V, V) { return function(x); }
};
V negative_of(V x) { return hn::Neg(x); }
V magnitude_of(V x) { return hn::Abs(x); }
V floor_of(V x) { return hn::Floor(x); }
V ceil_of(V x) { return hn::Ceil(x); }
V round_of(V x) { return hn::Round(x); }
V sign_of(V x) {
  const V one = hn::IfThenElseZero(hn::Ne(x, hn::Zero(d)), hn::CopySign(number(1), x));
  return hn::IfThenElse(hn::IsNaN(x), x, one);
}
using Neg = Of<negative_of>;
using Abs = Of<magnitude_of>;
using Floor = Of<floor_of>;
using Ceil = Of<ceil_of>;
using Round = Of<round_of>;
using Sign = Of<sign_of>;
#if ARENASCOPE_DOUBLE_MATH
using Sin = Of<sin_of>;
using Cos = Of<cos_of>;
using Asin = Of<asin_of>;
using Acos = Of<acos_of>;
using Atan = Of<atan_of>;
#endif
using Exp = Of<exp_of>;
using Log = Of<log_of>;
using Erf = Of<erf_of>;
using Tanh = Of<tanh_of>;
using Sigmoid = Of<sigmoid_of>;
using Silu = Of<silu_of>;
using Gelu = Of<gelu_of>;
using GeluTanh = Of<gelu_tanh_of>;
using Softplus = Of<softplus_of>;
struct Mish {
  static V of(V x, V, V) { return hn::Mul(x, tanh_of(softplus_of(x))); }
};
struct HardSigmoid {
  static V of(V x, V p, V q) { return Clamp::of(hn::MulAdd(p, x, q), number(0), number(1)); }
};
struct HardSwish {
  static V of(V x, V p, V q) { return hn::Mul(x, HardSigmoid::of(x, p, q)); }
};
struct Sqrt {
  static V of(V x, V, V) { return hn::Sqrt(x); }
};
struct Reciprocal {
  static V of(V x, V, V) { return hn::Div(number(1), x); }
};

// Stores of results: cached, or (Past) non-temporal for results larger than the caches.
template <bool Past>
void put(V v, float* to) {
  if constexpr (Past)
    hn::Stream(v, d, to);
  else
    hn::StoreU(v, d, to);
}

// The elements before the first full cache line, for stores that need full lines.
template <bool Past>
int64_t head(const float* out, int64_t n) {
  if (!Past) return 0;
  const uintptr_t line = hn::Lanes(d) * sizeof(float), over = reinterpret_cast<uintptr_t>(out) % line;
  return over == 0 || over % sizeof(float) != 0
             ? 0
             : std::min<int64_t>(n, static_cast<int64_t>((line - over) / sizeof(float)));
}

// Less than a vector. Masked where masked loads and stores of the CPU touch nothing else.
template <class F>
void few_pairs(float* out, const float* a, const float* b, int64_t n) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const auto some = hn::FirstN(d, static_cast<size_t>(n));
  hn::BlendedStore(F::of(hn::MaskedLoad(some, d, a), hn::MaskedLoad(some, d, b)), some, d, out);
#else
  HWY_ALIGN float tail_a[HWY_MAX_BYTES / 4] = {}, tail_b[HWY_MAX_BYTES / 4] = {};
  std::copy(a, a + n, tail_a), std::copy(b, b + n, tail_b);
  hn::Store(F::of(hn::Load(d, tail_a), hn::Load(d, tail_b)), d, tail_a);
  std::copy(tail_a, tail_a + n, out);
#endif
}

template <class F, bool Past>
void pairs(float* out, const float* a, const float* b, int64_t n) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = head<Past>(out, n);
  if (i > 0) few_pairs<F>(out, a, b, i);
  for (; i + 4 * lanes <= n; i += 4 * lanes)
#pragma GCC unroll 4
    for (int64_t j = i; j < i + 4 * lanes; j += lanes)
      put<Past>(F::of(hn::LoadU(d, a + j), hn::LoadU(d, b + j)), out + j);
  for (; i + lanes <= n; i += lanes) put<Past>(F::of(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), out + i);
  if (i < n) few_pairs<F>(out + i, a + i, b + i, n - i);
}

// Prefetch distance in floats for large inputs: slow functions would otherwise stall on memory.
constexpr int64_t kAhead = 512;

template <class F>
void few_each(float* out, const float* x, int64_t n, V p, V q) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const auto some = hn::FirstN(d, static_cast<size_t>(n));
  hn::BlendedStore(F::of(hn::MaskedLoad(some, d, x), p, q), some, d, out);
#else
  HWY_ALIGN float tail[HWY_MAX_BYTES / 4] = {};
  std::copy(x, x + n, tail);
  hn::Store(F::of(hn::Load(d, tail), p, q), d, tail);
  std::copy(tail, tail + n, out);
#endif
}

template <class F, bool Past>
void each(float* out, const float* x, int64_t n, float p, float q) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V vp = hn::Set(d, p), vq = hn::Set(d, q);
  int64_t i = head<Past>(out, n);
  if (i > 0) few_each<F>(out, x, i, vp, vq);
  for (; i + 4 * lanes <= n; i += 4 * lanes)
#pragma GCC unroll 4
    for (int64_t j = i; j < i + 4 * lanes; j += lanes) {
      if (Past) hwy::Prefetch(x + j + kAhead);
      put<Past>(F::of(hn::LoadU(d, x + j), vp, vq), out + j);
    }
  for (; i + lanes <= n; i += lanes) put<Past>(F::of(hn::LoadU(d, x + i), vp, vq), out + i);
  if (i < n) few_each<F>(out + i, x + i, n - i, vp, vq);
}

struct Same {
  static V of(V x, V, V) { return x; }
};
template <bool Past>
void copy(float* out, const float* x, int64_t n) {
  each<Same, Past>(out, x, n, 0, 0);
}

template <bool Past>
void fill_with(Simd& t) {
  t.name = hwy::TargetName(HWY_TARGET);
  t.copy = copy<Past>;
  t.elements.add = pairs<Plus, Past>, t.elements.sub = pairs<Minus, Past>, t.elements.mul = pairs<Times, Past>,
  t.elements.div = pairs<Over, Past>;
  t.elements.min = pairs<Least, Past>, t.elements.max = pairs<Most, Past>;
  t.elements.affine = each<Affine, Past>, t.elements.clamp = each<Clamp, Past>, t.elements.relu = each<Relu, Past>,
  t.elements.leaky_relu = each<LeakyRelu, Past>;
  t.elements.elu = each<Elu, Past>, t.elements.exp = each<Exp, Past>, t.elements.log = each<Log, Past>,
  t.elements.erf = each<Erf, Past>, t.elements.tanh = each<Tanh, Past>;
  t.elements.sigmoid = each<Sigmoid, Past>, t.elements.silu = each<Silu, Past>, t.elements.gelu = each<Gelu, Past>,
  t.elements.gelu_tanh = each<GeluTanh, Past>;
  t.elements.softplus = each<Softplus, Past>, t.elements.mish = each<Mish, Past>,
  t.elements.hard_sigmoid = each<HardSigmoid, Past>;
  t.elements.hard_swish = each<HardSwish, Past>, t.elements.sqrt = each<Sqrt, Past>,
  t.elements.reciprocal = each<Reciprocal, Past>;
  t.elements.neg = each<Neg, Past>, t.elements.abs = each<Abs, Past>, t.elements.sign = each<Sign, Past>;
  t.elements.floor = each<Floor, Past>, t.elements.ceil = each<Ceil, Past>, t.elements.round = each<Round, Past>;
#if ARENASCOPE_DOUBLE_MATH
  t.elements.sin = each<Sin, Past>, t.elements.cos = each<Cos, Past>, t.elements.asin = each<Asin, Past>,
  t.elements.acos = each<Acos, Past>, t.elements.atan = each<Atan, Past>;
#endif
}

void settle() { hwy::FlushStream(); }

void fill(Simd& t, bool past) {
  past ? fill_with<true>(t) : fill_with<false>(t);
  if (past) t.settle = settle;
}

}  // namespace
}  // namespace arenascope::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
ARENASCOPE_FILL_BY_TARGET(fill_highway_pointwise)
