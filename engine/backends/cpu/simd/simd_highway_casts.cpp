// SPDX-License-Identifier: MIT
// Conversions between float and other types, and float comparisons, with Google Highway.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/backends/cpu/simd/simd_highway_casts.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
#include "engine/backends/cpu/simd/simd_target-inl.h"

#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace arenascope::cpu::HWY_NAMESPACE {
namespace {
using namespace floats;

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL

// Calls some(to, from) for each whole vector, and for the remainder through buffers. To and From are the types in
// memory.
template <class To, class From, class F>
void rows(To* out, const From* x, int64_t n, F some) {
  const int64_t step = lanes();
  int64_t i = 0;
  for (; i + step <= n; i += step) some(out + i, x + i);
  if (i == n) return;
  HWY_ALIGN From from[HWY_MAX_BYTES / 4] = {};
  HWY_ALIGN To to[HWY_MAX_BYTES / 4];
  std::memcpy(from, x + i, static_cast<size_t>(n - i) * sizeof(From));
  some(to, from);
  std::memcpy(out + i, to, static_cast<size_t>(n - i) * sizeof(To));
}

const hn::RebindToSigned<D> di;
const hn::RebindToUnsigned<D> du;
template <class T>
using As = hn::Rebind<T, D>;  // as many elements of another type

using VI = hn::Vec<decltype(di)>;
// Integers of 8 or 16 bits.
template <class T>
void put_bytes(VI v, T* to) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(v.raw));
#else
  hn::StoreU(hn::DemoteTo(As<T>(), v), As<T>(), to);
#endif
}
void put_pairs(VI v, uint16_t* to) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(v.raw));
#else
  hn::StoreU(hn::DemoteTo(As<uint16_t>(), v), As<uint16_t>(), to);
#endif
}
// Truncation for values within 32 bits.
VI cut_off(V v) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return VI{_mm512_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(di, v);
#endif
}

void from_bfloat(float* out, const void* x, int64_t n) {
  rows(out, static_cast<const uint16_t*>(x), n, [](float* to, const uint16_t* from) {
    const auto bits = hn::PromoteTo(du, hn::LoadU(As<uint16_t>(), from));
    hn::StoreU(hn::BitCast(d, hn::ShiftLeft<16>(bits)), d, to);
  });
}

template <class T>
void from_whole(float* out, const void* x, int64_t n) {
  rows(out, static_cast<const T*>(x), n, [](float* to, const T* from) {
    if constexpr (sizeof(T) == 4)
      hn::StoreU(hn::ConvertTo(d, hn::LoadU(di, from)), d, to);
    else
      hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(As<T>(), from))), d, to);
  });
}

// Infinity beyond 65504; a single NaN per sign.
void to_half(void* out, const float* x, int64_t n) {
  rows(static_cast<hwy::float16_t*>(out), x, n, [](hwy::float16_t* to, const float* from) {
    V v = hn::LoadU(d, from);
    v = hn::IfThenElse(hn::IsNaN(v), hn::CopySign(hn::BitCast(d, hn::Set(du, 0x7fc00000u)), v), v);
    hn::StoreU(hn::DemoteTo(As<hwy::float16_t>(), v), As<hwy::float16_t>(), to);
  });
}

void to_bfloat(void* out, const float* x, int64_t n) {
  rows(static_cast<uint16_t*>(out), x, n, [](uint16_t* to, const float* from) {
    const V v = hn::LoadU(d, from);
    const auto bits = hn::BitCast(du, v), high = hn::ShiftRight<16>(bits);
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(du, 0x7fff)), hn::And(high, hn::Set(du, 1))));
    const auto kept = hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), hn::Or(high, hn::Set(du, 0x40)), rounded);
    put_pairs(hn::BitCast(di, kept), to);
  });
}

V without_nan(V v) { return hn::IfThenElseZero(hn::Eq(v, v), v); }

template <class T>
void put_whole(V v, T* to) {
  v = without_nan(v);
  if constexpr (sizeof(T) == 4) {
    hn::StoreU(hn::ConvertTo(di, v), di, to);
  } else {
    constexpr auto low = static_cast<float>(std::is_signed_v<T> ? -128 : 0),
                   high = std::is_signed_v<T> ? 127.0f : 255.0f;
    put_bytes(cut_off(hn::Min(hn::Max(v, hn::Set(d, low)), hn::Set(d, high))), to);
  }
}

template <class T>
void to_whole(void* out, const float* x, int64_t n) {
  rows(static_cast<T*>(out), x, n, [](T* to, const float* from) { put_whole(hn::LoadU(d, from), to); });
}

template <class T>
void quantise(void* out, const float* x, int64_t n, float scale, float shift) {
  const V by = hn::Set(d, scale), moved = hn::Set(d, shift);
  rows(static_cast<T*>(out), x, n,
       [=](T* to, const float* from) { put_whole(hn::Add(hn::Round(hn::Div(hn::LoadU(d, from), by)), moved), to); });
}

// 1 where the mask is set.
template <class M>
void put_truths(M mask, uint8_t* to) {
  const auto ones = hn::IfThenElseZero(hn::RebindMask(di, mask), hn::Set(di, 1));
  put_bytes(ones, to);
}

void to_bool(void* out, const float* x, int64_t n) {
  rows(static_cast<uint8_t*>(out), x, n,
       [](uint8_t* to, const float* from) { put_truths(hn::Not(hn::Eq(hn::LoadU(d, from), hn::Zero(d))), to); });
}

void is_nan(uint8_t* out, const float* x, int64_t n) {
  rows(out, x, n, [](uint8_t* to, const float* from) { put_truths(hn::IsNaN(hn::LoadU(d, from)), to); });
}

template <class F>
void compare(uint8_t* out, const float* a, const float* b, int64_t n) {
  const int64_t step = lanes();
  int64_t i = 0;
  for (; i + step <= n; i += step) put_truths(F::of(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), out + i);
  if (i == n) return;
  HWY_ALIGN float left[HWY_MAX_BYTES / 4] = {}, right[HWY_MAX_BYTES / 4] = {};
  HWY_ALIGN uint8_t to[HWY_MAX_BYTES / 4];
  std::copy(a + i, a + n, left), std::copy(b + i, b + n, right);
  put_truths(F::of(hn::Load(d, left), hn::Load(d, right)), to);
  std::copy(to, to + (n - i), out + i);
}
struct Same {
  static auto of(V a, V b) { return hn::Eq(a, b); }
};
struct Below {
  static auto of(V a, V b) { return hn::Lt(a, b); }
};
struct NotAbove {
  static auto of(V a, V b) { return hn::Le(a, b); }
};

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
void from_i64(float* out, const void* x, int64_t n) {
  rows(out, static_cast<const int64_t*>(x), n, [](float* to, const int64_t* from) {
    for (int half = 0; half < 2; ++half)
      _mm256_storeu_ps(to + 8 * half, _mm512_cvtepi64_ps(_mm512_loadu_si512(from + 8 * half)));
  });
}
void to_i64(void* out, const float* x, int64_t n) {
  rows(static_cast<int64_t*>(out), x, n, [](int64_t* to, const float* from) {
    const V v = without_nan(hn::LoadU(d, from));
    const hn::Repartition<int64_t, D> wide;
    const hn::Repartition<double, D> doubles;
    const hn::Half<D> half;
    hn::StoreU(hn::ConvertTo(wide, hn::PromoteTo(doubles, hn::LowerHalf(half, v))), wide, to);
    hn::StoreU(hn::ConvertTo(wide, hn::PromoteTo(doubles, hn::UpperHalf(half, v))), wide, to + 8);
  });
}
#endif

void fill(Simd& t, bool) {
  t.casts = {};
  t.casts.from_bfloat = from_bfloat, t.casts.from_u8 = from_whole<uint8_t>, t.casts.from_i8 = from_whole<int8_t>,
  t.casts.from_i32 = from_whole<int32_t>;
  t.casts.to_half = to_half, t.casts.to_bfloat = to_bfloat, t.casts.to_u8 = to_whole<uint8_t>,
  t.casts.to_i8 = to_whole<int8_t>, t.casts.to_i32 = to_whole<int32_t>, t.casts.to_bool = to_bool;
  t.casts.quantise_u8 = quantise<uint8_t>, t.casts.quantise_i8 = quantise<int8_t>;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  t.casts.from_i64 = from_i64, t.casts.to_i64 = to_i64;
#endif
  t.truths = {compare<Same>, compare<Below>, compare<NotAbove>, is_nan};
}

#else
void fill(Simd&, bool) {}
#endif

}  // namespace
}  // namespace arenascope::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
ARENASCOPE_FILL_BY_TARGET(fill_highway_casts)
