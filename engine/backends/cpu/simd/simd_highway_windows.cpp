// SPDX-License-Identifier: MIT
// Building blocks of image windows and transposes, with Google Highway: weighted sums of shifted rows, deinterleaving
// of rows, transposed tiles.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/backends/cpu/simd/simd_highway_windows.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "engine/backends/cpu/simd/simd_target-inl.h"

#include <algorithm>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace arenascope::cpu::HWY_NAMESPACE {
namespace {
using namespace floats;

constexpr bool kMasked = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL;

template <class D2>
void store_some(D2 tag, hn::Vec<D2> v, float* to, int64_t n) {
  if (n >= static_cast<int64_t>(hn::Lanes(tag))) {
    hn::StoreU(v, tag, to);
  } else if constexpr (kMasked) {
    hn::BlendedStore(v, hn::FirstN(tag, static_cast<size_t>(n)), tag, to);
  } else {
    HWY_ALIGN float all[HWY_MAX_BYTES / 4];
    hn::Store(v, tag, all);
    std::copy(all, all + n, to);
  }
}

// R rows at once, so that the additions of one tap do not depend on each other.
template <int R, class D2>
void some_rows(D2 tag, float* out, int64_t out_stride, const float* x, const int64_t* taps, const float* weights,
               int64_t count, int64_t x_stride, float bias, int64_t n) {
  using V2 = hn::Vec<D2>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(tag));
  for (int64_t i = 0; i < n; i += lanes) {
    V2 s[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) s[r] = hn::Set(tag, bias);
    for (int64_t t = 0; t < count; ++t) {
      const V2 w = hn::Set(tag, weights[t]);
      const float* from = x + taps[t] + i;
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) s[r] = hn::MulAdd(w, hn::LoadU(tag, from + r * x_stride), s[r]);
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) store_some(tag, s[r], out + r * out_stride + i, n - i);
  }
}

template <class D2>
void all_rows(D2 tag, float* out, int64_t out_stride, const float* x, const int64_t* taps, const float* weights,
              int64_t count, int64_t x_stride, int64_t rows, int64_t n, float bias) {
  int64_t r = 0;
  const auto some = [&](auto tall) {
    some_rows<decltype(tall)::value>(tag, out + r * out_stride, out_stride, x + r * x_stride, taps, weights, count,
                                     x_stride, bias, n);
    r += decltype(tall)::value;
  };
  if (rows % 7 == 0)
    while (r < rows) some(std::integral_constant<int, 7>());
  while (r + 6 <= rows) some(std::integral_constant<int, 6>());
  while (r + 3 <= rows) some(std::integral_constant<int, 3>());
  while (r < rows) some(std::integral_constant<int, 1>());
}

void weigh_rows(float* out, int64_t out_stride, const float* x, const int64_t* taps, const float* weights,
                int64_t count, int64_t x_stride, int64_t rows, int64_t n, float bias) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if (n <= 8)
    return all_rows(hn::FixedTag<float, 8>(), out, out_stride, x, taps, weights, count, x_stride, rows, n, bias);
#endif
  all_rows(d, out, out_stride, x, taps, weights, count, x_stride, rows, n, bias);
}

void copy_rows(float* to, int64_t to_stride, const float* from, int64_t from_stride, int64_t rows, int64_t n) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t r = 0; r < rows; ++r, to += to_stride, from += from_stride) {
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
    if constexpr (kMasked) {
      if (i < n) {
        const auto some = hn::FirstN(d, static_cast<size_t>(n - i));
        hn::BlendedStore(hn::MaskedLoad(some, d, from + i), some, d, to + i);
      }
    } else {
      std::copy(from + i, from + n, to + i);
    }
  }
}

void halves(float* even, float* odd, const float* x, int64_t n) {
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= n; i += lanes) {
    V a, b;
    hn::LoadInterleaved2(d, x + 2 * i, a, b);
    hn::StoreU(a, d, even + i), hn::StoreU(b, d, odd + i);
  }
#endif
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  if (i < n) {  // image rows are often shorter than a vector
    const auto left = static_cast<size_t>(n - i), wide = hn::Lanes(d);
    const V low = hn::MaskedLoad(hn::FirstN(d, std::min(2 * left, wide)), d, x + 2 * i);
    const V high = 2 * left > wide ? hn::MaskedLoad(hn::FirstN(d, 2 * left - wide), d, x + 2 * i + lanes) : hn::Zero(d);
    hn::BlendedStore(hn::ConcatEven(d, high, low), hn::FirstN(d, left), d, even + i);
    hn::BlendedStore(hn::ConcatOdd(d, high, low), hn::FirstN(d, left), d, odd + i);
    return;
  }
#endif
  for (; i < n; ++i) even[i] = x[2 * i], odd[i] = x[2 * i + 1];
}

// Taps of R neighbouring positions for the channels of a vector.
template <int R, class D2>
void some_places(D2 tag, float* out, const float* x, const int64_t* taps, int64_t step, const float* weights,
                 const int64_t* weight, int64_t count, int64_t channels, const float* bias, int64_t left) {
  using V2 = hn::Vec<D2>;
  V2 s[R];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) s[r] = hn::LoadU(tag, bias);
  for (int64_t t = 0; t < count; ++t) {
    const V2 w = hn::LoadU(tag, weights + weight[t]);
    const float* from = x + taps[t];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) s[r] = hn::MulAdd(w, hn::LoadU(tag, from + r * step), s[r]);
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) store_some(tag, s[r], out + r * channels, left);
}

template <int R>
void channels_of(float* out, const float* x, const int64_t* taps, int64_t step, const float* weights,
                 const int64_t* weight, int64_t count, int64_t channels, const float* bias) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + lanes <= channels; c += lanes)
    some_places<R>(d, out + c, x + c, taps, step, weights + c, weight, count, channels, bias + c, lanes);
  const hn::CappedTag<float, 1> one;
  for (; c < channels; ++c)
    some_places<R>(one, out + c, x + c, taps, step, weights + c, weight, count, channels, bias + c, 1);
}

void weigh_last(float* out, const float* x, const int64_t* taps, int64_t step, const float* weights,
                const int64_t* weight, int64_t count, int64_t n, int64_t channels, const float* bias) {
  int64_t i = 0;
  const auto some = [&](auto places) {
    constexpr int R = decltype(places)::value;
    for (; i + R <= n; i += R)
      channels_of<R>(out + i * channels, x + i * step, taps, step, weights, weight, count, channels, bias);
  };
  some(std::integral_constant<int, 8>());
  some(std::integral_constant<int, 4>());
  some(std::integral_constant<int, 2>());
  some(std::integral_constant<int, 1>());
}

void tile_in(float* to, int64_t to_stride, const float* const* from, int64_t n) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t c = 0; c < n; c += lanes, to += lanes) {
    V rows[16];
#pragma GCC unroll 4
    for (int x = 0; x < 4; ++x) {
      const V a = hn::LoadU(d, from[x] + c), b = hn::LoadU(d, from[4 + x] + c), e = hn::LoadU(d, from[8 + x] + c),
              f = hn::LoadU(d, from[12 + x] + c);
      rows[x] = hn::Sub(a, e), rows[4 + x] = hn::Add(b, e), rows[8 + x] = hn::Sub(e, b), rows[12 + x] = hn::Sub(b, f);
    }
#pragma GCC unroll 4
    for (int y = 0; y < 4; ++y) {
      const V* r = rows + 4 * y;
      float* const at = to + 4 * y * to_stride;
      hn::StoreU(hn::Sub(r[0], r[2]), d, at), hn::StoreU(hn::Add(r[1], r[2]), d, at + to_stride);
      hn::StoreU(hn::Sub(r[2], r[1]), d, at + 2 * to_stride), hn::StoreU(hn::Sub(r[1], r[3]), d, at + 3 * to_stride);
    }
  }
}

bool tile_out(float* const* to, const float* from, int64_t from_stride, const float* bias, int64_t n) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  V check = hn::Zero(d);
  for (int64_t c = 0; c < n; c += lanes, from += lanes) {
    V rows[8];
#pragma GCC unroll 4
    for (int x = 0; x < 4; ++x) {
      const float* const m = from + x * from_stride;
      const V a = hn::LoadU(d, m), b = hn::LoadU(d, m + 4 * from_stride), e = hn::LoadU(d, m + 8 * from_stride),
              f = hn::LoadU(d, m + 12 * from_stride);
      rows[x] = hn::Add(hn::Add(a, b), e), rows[4 + x] = hn::Sub(hn::Sub(b, e), f);
    }
    const V shift = hn::LoadU(d, bias + c);
#pragma GCC unroll 2
    for (int y = 0; y < 2; ++y) {
      const V* r = rows + 4 * y;
      const V left = hn::Add(hn::Add(r[0], r[1]), r[2]), right = hn::Sub(hn::Sub(r[1], r[2]), r[3]);
      check = hn::MulAdd(left, hn::Zero(d), hn::MulAdd(right, hn::Zero(d), check));  // non-finite values become NaN
      hn::StoreU(hn::Add(left, shift), d, to[2 * y] + c), hn::StoreU(hn::Add(right, shift), d, to[2 * y + 1] + c);
    }
  }
  return hn::AllTrue(d, hn::Eq(check, hn::Zero(d)));
}

void twos(float* out, const float* a, const float* b, int64_t n) {
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= n; i += lanes) hn::StoreInterleaved2(hn::LoadU(d, a + i), hn::LoadU(d, b + i), d, out + 2 * i);
#endif
  for (; i < n; ++i) out[2 * i] = a[i], out[2 * i + 1] = b[i];
}

void threes(float* out, const float* a, const float* b, const float* c, int64_t n) {
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= n; i += lanes)
    hn::StoreInterleaved3(hn::LoadU(d, a + i), hn::LoadU(d, b + i), hn::LoadU(d, c + i), d, out + 3 * i);
#endif
  for (; i < n; ++i) out[3 * i] = a[i], out[3 * i + 1] = b[i], out[3 * i + 2] = c[i];
}

#if HWY_TARGET != HWY_SCALAR
// Transpose of 4 × 4 elements.
HWY_INLINE void transpose_4(float* to, int64_t to_stride, const float* from, int64_t from_stride) {
  const hn::FixedTag<float, 4> four;
  const hn::Repartition<double, decltype(four)> two;
  const auto r0 = hn::LoadU(four, from), r1 = hn::LoadU(four, from + from_stride),
             r2 = hn::LoadU(four, from + 2 * from_stride), r3 = hn::LoadU(four, from + 3 * from_stride);
  const auto a = hn::BitCast(two, hn::InterleaveLower(four, r0, r1)),
             b = hn::BitCast(two, hn::InterleaveUpper(four, r0, r1));
  const auto e = hn::BitCast(two, hn::InterleaveLower(four, r2, r3)),
             f = hn::BitCast(two, hn::InterleaveUpper(four, r2, r3));
  hn::StoreU(hn::BitCast(four, hn::InterleaveLower(two, a, e)), four, to);
  hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(two, a, e)), four, to + to_stride);
  hn::StoreU(hn::BitCast(four, hn::InterleaveLower(two, b, f)), four, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(four, hn::InterleaveUpper(two, b, f)), four, to + 3 * to_stride);
}
#endif

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
// Every cache line is read once and written once: rows a power of two apart would evict each other.
template <bool Past>
void transpose_tile(float* to, int64_t to_stride, const float* from, int64_t from_stride) {
  const bool lines = Past && reinterpret_cast<uintptr_t>(to) % 64 == 0 && to_stride % 16 == 0;
  __m512 r[16], t[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    r[i] = _mm512_loadu_ps(from + i * from_stride);
    if (Past) _mm_prefetch(reinterpret_cast<const char*>(from + i * from_stride + 64), _MM_HINT_T1);
  }
  // Within the quarters: pairs of rows, then groups of four.
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2)
    t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]), t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    r[i] = _mm512_shuffle_ps(t[i], t[i + 2], 0x44), r[i + 1] = _mm512_shuffle_ps(t[i], t[i + 2], 0xee);
    r[i + 2] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0x44), r[i + 3] = _mm512_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
  // Quarter q of rows i, i + 4, i + 8 and i + 12 is row 4·q + i of the result.
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m512 a = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88), b = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xdd);
    const __m512 e = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88),
                 f = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xdd);
    t[i] = _mm512_shuffle_f32x4(a, e, 0x88), t[i + 8] = _mm512_shuffle_f32x4(a, e, 0xdd);
    t[i + 4] = _mm512_shuffle_f32x4(b, f, 0x88), t[i + 12] = _mm512_shuffle_f32x4(b, f, 0xdd);
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i)
    if (lines)
      _mm512_stream_ps(to + i * to_stride, t[i]);
    else
      _mm512_storeu_ps(to + i * to_stride, t[i]);
}
#else
template <bool>
void transpose_tile(float* to, int64_t to_stride, const float* from, int64_t from_stride) {
#if HWY_TARGET == HWY_SCALAR
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) to[i * to_stride + j] = from[j * from_stride + i];
#else
  for (int i = 0; i < 16; i += 4)
    for (int j = 0; j < 16; j += 4)
      transpose_4(to + i * to_stride + j, to_stride, from + j * from_stride + i, from_stride);
#endif
}
#endif

void transpose_rows(float* to, int64_t to_stride, const float* from, int64_t from_stride, int64_t rows, int64_t n) {
  int64_t done = 0;  // rows
#if HWY_TARGET != HWY_SCALAR
  const int64_t whole = n / 4 * 4;
  for (; done + 4 <= rows; done += 4) {
    for (int64_t k = 0; k < whole; k += 4)
      transpose_4(to + k * to_stride + done, to_stride, from + done * from_stride + k, from_stride);
    for (int64_t k = whole; k < n; ++k)
      for (int64_t i = done; i < done + 4; ++i) to[k * to_stride + i] = from[i * from_stride + k];
  }
#endif
  for (; done < rows; ++done)
    for (int64_t k = 0; k < n; ++k) to[k * to_stride + done] = from[done * from_stride + k];
}

void fill(Simd& t, bool past) {
  t.weigh_rows = weigh_rows, t.weigh_last = weigh_last, t.halves = halves, t.twos = twos, t.threes = threes,
  t.copy_rows = copy_rows, t.tile_in = tile_in, t.tile_out = tile_out;
  t.transpose_rows = transpose_rows;
  t.transpose_tile = past ? transpose_tile<true> : transpose_tile<false>;
}

}  // namespace
}  // namespace arenascope::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
ARENASCOPE_FILL_BY_TARGET(fill_highway_windows)
