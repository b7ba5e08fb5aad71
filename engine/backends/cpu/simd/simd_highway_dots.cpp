// SPDX-License-Identifier: MIT
// Dot products of a few long rows with a few others, and weighted sums of rows, with Google Highway: GEMV and attention
// of few tokens, which are bound by reading the long side.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/backends/cpu/simd/simd_highway_dots.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "engine/backends/cpu/simd/simd_target-inl.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "engine/backends/cpu/kernels/half.h"
#include "engine/backends/cpu/simd/level.h"

HWY_BEFORE_NAMESPACE();
namespace arenascope::cpu::HWY_NAMESPACE {
namespace {
using namespace floats;

inline V load(const float* x) { return hn::LoadU(d, x); }
inline V load(const Half* x) {
  const hn::Rebind<hwy::float16_t, D> half;
  return hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(x)));
}
inline V load(const BFloat* x) {
  const hn::Rebind<hwy::bfloat16_t, D> brain;
  return hn::PromoteTo(d, hn::LoadU(brain, reinterpret_cast<const hwy::bfloat16_t*>(x)));
}
inline float number(float x) { return x; }
inline float number(Half x) { return to_float(x); }
inline float number(BFloat x) { return to_float(x); }

constexpr bool kManyRegisters = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_NEON;
constexpr int kRows = kManyRegisters ? 4 : 2;

// Where rows are used several times, arithmetic would stall on memory: rows are prefetched well ahead into L2, once per
// cache line. (Prefetching into L1 is slower than not prefetching.)
template <class T>
inline void prefetch_ahead(const T* x, int64_t place) {
  constexpr int64_t kBytes = 16384, kLine = 64;
  if (place * static_cast<int64_t>(sizeof(T)) % kLine == 0)
    __builtin_prefetch(x + kBytes / static_cast<int64_t>(sizeof(T)), 0, 2);
}

// out[m·out_stride + r] += Σ a[r][k]·b[m][k] for R rows of a and M of b.
template <class T, int M, int R>
void block(const T* a, int64_t a_stride, const float* b, int64_t b_stride, int64_t n, float* out, int64_t out_stride) {
  const int64_t step = lanes();
  V s[M * R];
#pragma GCC unroll 32
  for (int i = 0; i < M * R; ++i) s[i] = hn::Zero(d);
  int64_t k = 0;
  for (; k + step <= n; k += step) {
    V x[R];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      prefetch_ahead(a + r * a_stride + k, k);
      x[r] = load(a + r * a_stride + k);
    }
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m) {
      const V y = hn::LoadU(d, b + m * b_stride + k);
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) s[m * R + r] = hn::MulAdd(x[r], y, s[m * R + r]);
    }
  }
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      float sum = hn::GetLane(hn::SumOfLanes(d, s[m * R + r]));
      for (int64_t i = k; i < n; ++i) sum += number(a[r * a_stride + i]) * b[m * b_stride + i];
      out[m * out_stride + r] += sum;
    }
}

#undef ARENASCOPE_MANY_REGISTERS
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_NEON
#define ARENASCOPE_MANY_REGISTERS 1
// The horizontal sums of four vectors.
template <class DV>
inline hn::Vec<hn::CappedTag<float, 4>> four_sums(DV, hn::Vec<DV> a, hn::Vec<DV> b, hn::Vec<DV> c, hn::Vec<DV> e) {
  const DV dv;
  if constexpr (hn::MaxLanes(dv) > 4) {
    const hn::Half<DV> half;
    const auto fold = [&](hn::Vec<DV> v) { return hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)); };
    return four_sums(half, fold(a), fold(b), fold(c), fold(e));
  } else {
    const hn::Repartition<double, DV> dd;
    const auto ab = hn::Add(hn::InterleaveLower(dv, a, b), hn::InterleaveUpper(dv, a, b));
    const auto ce = hn::Add(hn::InterleaveLower(dv, c, e), hn::InterleaveUpper(dv, c, e));
    return hn::Add(hn::BitCast(dv, hn::InterleaveLower(dd, hn::BitCast(dd, ab), hn::BitCast(dd, ce))),
                   hn::BitCast(dv, hn::InterleaveUpper(dd, hn::BitCast(dd, ab), hn::BitCast(dd, ce))));
  }
}

// Elements of a short row, and of all rows of a call that are likely cached: 512 KiB, half of a typical L2 cache.
constexpr int64_t kShortRow = 256, kCachedRows = 131072;

// One row of a with four of b, of a length of whole vectors.
template <class T>
inline void one_by_four(const T* a, const float* b, int64_t b_stride, int64_t n, V* HWY_RESTRICT sums) {
  const int64_t step = lanes();
  V s[4];
#pragma GCC unroll 4
  for (int m = 0; m < 4; ++m) s[m] = hn::Zero(d);
#pragma GCC unroll 2
  for (int64_t k = 0; k < n; k += step) {
    prefetch_ahead(a + k, k);
    const V x = load(a + k);
#pragma GCC unroll 4
    for (int m = 0; m < 4; ++m) s[m] = hn::MulAdd(x, hn::LoadU(d, b + m * b_stride + k), s[m]);
  }
#pragma GCC unroll 4
  for (int m = 0; m < 4; ++m) sums[m] = s[m];
}

// Four short rows of a with one of b, of a length of whole vectors: one row after another, and their four horizontal
// sums at once.
inline void four_by_one(const float* const* a, const float* b, int64_t n, float* sums) {
  const int64_t step = lanes();
  V s[4];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) {
    V even = hn::Zero(d), odd = even;
    int64_t k = 0;
    for (; k + 2 * step <= n; k += 2 * step) {
      even = hn::MulAdd(load(a[r] + k), hn::LoadU(d, b + k), even);
      odd = hn::MulAdd(load(a[r] + k + step), hn::LoadU(d, b + k + step), odd);
    }
    if (k < n) even = hn::MulAdd(load(a[r] + k), hn::LoadU(d, b + k), even);
    s[r] = hn::Add(even, odd);
  }
  hn::StoreU(four_sums(d, s[0], s[1], s[2], s[3]), hn::CappedTag<float, 4>(), sums);
}

// A recurrence's matmuls of one column, whose weights are cached (for rows from memory it is slower than one_row()).
// The last rows are computed as part of four, so that a row has the same bits wherever rows are split.
inline void short_rows(const float* a, int64_t a_stride, int64_t count, const float* b, int64_t n, float* out) {
  for (int64_t r = 0; r < count; r += 4, a += 4 * a_stride) {
    const int64_t rows = std::min<int64_t>(4, count - r);
    const float* four[4];
    for (int64_t i = 0; i < 4; ++i) four[i] = a + std::min(i, rows - 1) * a_stride;
    float sums[4];
    four_by_one(four, b, n, sums);
    for (int64_t i = 0; i < rows; ++i) out[r + i] += sums[i];
  }
}

// block() for four rows of each. Rows are read sequentially, which suits the memory system; four horizontal sums are
// taken at once.
template <class T>
void four_by_four(const T* a, int64_t a_stride, const float* b, int64_t b_stride, int64_t n, float* out,
                  int64_t out_stride) {
  V s[16];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) one_by_four(a + r * a_stride, b, b_stride, n, s + 4 * r);
  const hn::CappedTag<float, 4> d4;
#pragma GCC unroll 4
  for (int m = 0; m < 4; ++m) {
    float* to = out + m * out_stride;
    hn::StoreU(hn::Add(hn::LoadU(d4, to), four_sums(d, s[m], s[4 + m], s[8 + m], s[12 + m])), d4, to);
  }
}
#else
#define ARENASCOPE_MANY_REGISTERS 0
#endif

// For 16-bit types, whose memory rate in elements is twice as high: 16-lane vectors hold eight elements of one row
// below eight of another, which halves the horizontal sums.
#undef ARENASCOPE_PAIRS
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
#define ARENASCOPE_PAIRS 1
constexpr int64_t kHalf = 8, kPairedLength = 512;

template <class T>
V pair(const T* x, const T* y) {
  using Bits = std::conditional_t<std::is_same_v<T, Half>, hwy::float16_t, hwy::bfloat16_t>;
  const hn::Rebind<uint16_t, D> both;
  const hn::Half<decltype(both)> half;
  const auto bits = hn::Combine(both, hn::LoadU(half, reinterpret_cast<const uint16_t*>(y)),
                                hn::LoadU(half, reinterpret_cast<const uint16_t*>(x)));
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<Bits, D>(), bits));
}

// In each 128-bit block, the sums over the blocks of a, b, c and e.
inline V block_sums(V a, V b, V c, V e) {
  const hn::Repartition<double, D> dd;
  const auto two = [&](V x, V y) {
    return hn::BitCast(dd, hn::Add(hn::InterleaveLower(d, x, y), hn::InterleaveUpper(d, x, y)));
  };
  const auto ab = two(a, b), ce = two(c, e);
  return hn::Add(hn::BitCast(d, hn::InterleaveLower(dd, ab, ce)), hn::BitCast(d, hn::InterleaveUpper(dd, ab, ce)));
}

// block() for M ≤ 4 rows of b and 4·P rows of a of n elements, a multiple of kHalf. `twice` holds b's rows with each
// half vector duplicated, padded with zeros.
template <class T, int M, int P>
void paired(const T* a, int64_t a_stride, const float* twice, int64_t n, float* out, int64_t out_stride) {
  constexpr int kPairs = 2 * P;
  V s[kPairs * 4];
#pragma GCC unroll 16
  for (V& v : s) v = hn::Zero(d);
#pragma GCC unroll 2
  for (int64_t k = 0; k < n; k += kHalf) {
    V x[kPairs];
#pragma GCC unroll 4
    for (int i = 0; i < kPairs; ++i) {  // rows 0 and 2, then 1 and 3, of each four
      const T *low = a + (i / 2 * 4 + i % 2) * a_stride + k, *high = low + 2 * a_stride;
      prefetch_ahead(low, k), prefetch_ahead(high, k);
      x[i] = pair(low, high);
    }
#pragma GCC unroll 4
    for (int m = 0; m < M; ++m) {
      const V y = hn::LoadU(d, twice + 2 * (m * n + k));
#pragma GCC unroll 4
      for (int i = 0; i < kPairs; ++i) s[i * 4 + m] = hn::MulAdd(x[i], y, s[i * 4 + m]);
    }
  }
  const hn::CappedTag<float, 4> d4;
  alignas(64) static constexpr int32_t kTransposeTile[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
  const auto turned = hn::SetTableIndices(d, kTransposeTile);
#pragma GCC unroll 2
  for (int i = 0; i < kPairs; i += 2) {
    const V* v = s + 4 * i;
    const V even = block_sums(v[0], v[1], v[2], v[3]), odd = block_sums(v[4], v[5], v[6], v[7]);
    const V rows = hn::Add(hn::OddEvenBlocks(odd, even), hn::SwapAdjacentBlocks(hn::OddEvenBlocks(even, odd)));
    HWY_ALIGN float sums[16];  // by row of b
    hn::Store(hn::TableLookupLanes(rows, turned), d, sums);
#pragma GCC unroll 4
    for (int m = 0; m < M; ++m) {
      float* to = out + m * out_stride + 2 * i;
      hn::StoreU(hn::Add(hn::LoadU(d4, to), hn::LoadU(d4, sums + 4 * m)), d4, to);
    }
  }
}

// The same for any multiple of four rows.
template <class T, int M>
void pairs(const T* a, int64_t a_stride, int64_t count, const float* b, int64_t b_stride, int64_t n, float* out,
           int64_t out_stride) {
  HWY_ALIGN float twice[4 * 2 * kPairedLength];
  const hn::Half<D> half;
  for (int m = 0; m < M; ++m)
    for (int64_t k = 0; k < n; k += kHalf) {
      const auto y = hn::LoadU(half, b + m * b_stride + k);
      hn::Store(hn::Combine(d, y, y), d, twice + 2 * (m * n + k));
    }
  int64_t r = 0;
  for (; r + 8 <= count; r += 8) paired<T, M, 2>(a + r * a_stride, a_stride, twice, n, out + r, out_stride);
  if (r < count) paired<T, M, 1>(a + r * a_stride, a_stride, twice, n, out + r, out_stride);
}
#else
#define ARENASCOPE_PAIRS 0
#endif

// The same for one row of each, as one stream of eight vectors at a time. (Software prefetching is slower than the
// hardware prefetcher here.)
template <class T>
void one_row(const T* a, const float* b, int64_t n, float* out) {
  constexpr int U = 8;
  const int64_t step = lanes();
  V s[U];
#pragma GCC unroll 8
  for (int u = 0; u < U; ++u) s[u] = hn::Zero(d);
  int64_t k = 0;
  for (; k + U * step <= n; k += U * step) {
#pragma GCC unroll 8
    for (int u = 0; u < U; ++u) {
      s[u] = hn::MulAdd(load(a + k + u * step), hn::LoadU(d, b + k + u * step), s[u]);
    }
  }
  V all = s[0];
#pragma GCC unroll 8
  for (int u = 1; u < U; ++u) all = hn::Add(all, s[u]);
  for (; k + step <= n; k += step) all = hn::MulAdd(load(a + k), hn::LoadU(d, b + k), all);
  float sum = hn::GetLane(hn::SumOfLanes(d, all));
  for (; k < n; ++k) sum += number(a[k]) * b[k];
  *out += sum;
}

template <class T, int R>
void some_rows(const T* a, int64_t a_stride, const float* b, int64_t b_stride, int64_t b_count, int64_t n, float* out,
               int64_t out_stride) {
  int64_t m = 0;
  for (; m + 4 <= b_count; m += 4) {
    const float* y = b + m * b_stride;
    float* to = out + m * out_stride;
    block<T, 4, R>(a, a_stride, y, b_stride, n, to, out_stride);
  }
  b += m * b_stride, out += m * out_stride;
  if (b_count - m == 3)
    block<T, 3, R>(a, a_stride, b, b_stride, n, out, out_stride);
  else if (b_count - m == 2)
    block<T, 2, R>(a, a_stride, b, b_stride, n, out, out_stride);
  else if (b_count - m == 1)
    block<T, 1, R>(a, a_stride, b, b_stride, n, out, out_stride);
}

template <class T>
void dots(const void* a, int64_t a_stride, int64_t count, const float* b, int64_t b_stride, int64_t b_count, int64_t n,
          float* out, int64_t out_stride) {
  const T* x = static_cast<const T*>(a);
  if (b_count == 1) {
#if ARENASCOPE_MANY_REGISTERS
    if constexpr (std::is_same_v<T, float>)
      if (n % lanes() == 0 && n <= kShortRow && count * n <= kCachedRows)
        return short_rows(x, a_stride, count, b, n, out);
#endif
    for (int64_t r = 0; r < count; ++r) one_row<T>(x + r * a_stride, b, n, out + r);
    return;
  }
  int64_t r = 0;
#if ARENASCOPE_PAIRS
  if constexpr (sizeof(T) < sizeof(float))
    if (n % kHalf == 0 && n <= kPairedLength) {
      // A few rows stay in L1 while one section of b after another passes.
      const int64_t together = b_count > 4 ? 64 : count;
      for (int64_t rows = 0; r + 4 <= count; r += rows) {
        rows = std::min(together, count - r) / 4 * 4;
        for (int64_t m = 0; m < b_count; m += 4) {
          constexpr auto kBy = std::array{pairs<T, 1>, pairs<T, 2>, pairs<T, 3>, pairs<T, 4>};
          kBy[static_cast<size_t>(std::min<int64_t>(b_count - m, 4) - 1)](
              x + r * a_stride, a_stride, rows, b + m * b_stride, b_stride, n, out + m * out_stride + r, out_stride);
        }
      }
    }
#endif
#if ARENASCOPE_MANY_REGISTERS
  if (b_count % 4 == 0 && n % lanes() == 0 && n * static_cast<int64_t>(sizeof(T)) < 2048)
    for (; r + 4 <= count; r += 4)
      for (int64_t m = 0; m < b_count; m += 4)
        four_by_four(x + r * a_stride, a_stride, b + m * b_stride, b_stride, n, out + m * out_stride + r, out_stride);
#endif
  for (; r + kRows <= count; r += kRows)
    some_rows<T, kRows>(x + r * a_stride, a_stride, b, b_stride, b_count, n, out + r, out_stride);
  for (; r < count; ++r) some_rows<T, 1>(x + r * a_stride, a_stride, b, b_stride, b_count, n, out + r, out_stride);
}

// out[m][i] += Σ w[m][r]·a[r][i] for C vectors of i and M rows of w.
template <class T, int M, int C>
void mix_block(const T* a, int64_t a_stride, int64_t count, const float* w, int64_t w_stride, float* out,
               int64_t out_stride) {
  const int64_t step = lanes();
  V s[M * C];
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) s[m * C + c] = hn::LoadU(d, out + m * out_stride + c * step);
  for (int64_t r = 0; r < count; ++r, a += a_stride) {
    V x[C];
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) {
      if (M > 1 || !kManyRegisters) prefetch_ahead(a + c * step, c * step);
      x[c] = load(a + c * step);
    }
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m) {
      const V f = hn::Set(d, w[m * w_stride + r]);
#pragma GCC unroll 8
      for (int c = 0; c < C; ++c) s[m * C + c] = hn::MulAdd(x[c], f, s[m * C + c]);
    }
  }
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m)
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) hn::StoreU(s[m * C + c], d, out + m * out_stride + c * step);
}

template <class T, int M>
void mix_rows(const T* a, int64_t a_stride, int64_t count, const float* w, int64_t w_stride, int64_t n, float* out,
              int64_t out_stride) {
  constexpr int C = M == 1 ? 8 : (kManyRegisters ? 16 : 8) / M;
  const int64_t step = lanes();
  int64_t i = 0;
  for (; i + C * step <= n; i += C * step) mix_block<T, M, C>(a + i, a_stride, count, w, w_stride, out + i, out_stride);
  for (; i + step <= n; i += step) mix_block<T, M, 1>(a + i, a_stride, count, w, w_stride, out + i, out_stride);
  for (; i < n; ++i)
    for (int m = 0; m < M; ++m)
      for (int64_t r = 0; r < count; ++r) out[m * out_stride + i] += w[m * w_stride + r] * number(a[r * a_stride + i]);
}

// A few rows at a time, which stay in L1 while one section of w after another passes.
template <class T>
void mix(const void* a, int64_t a_stride, int64_t count, const float* w, int64_t w_stride, int64_t w_count, int64_t n,
         float* out, int64_t out_stride) {
  const T* x = static_cast<const T*>(a);
  const int64_t some = std::clamp<int64_t>(16384 / (n * static_cast<int64_t>(sizeof(T))), 4, 256);
  for (int64_t r = 0; r < count; r += some, x += some * a_stride)
    for (int64_t m = 0; m < w_count;) {
      const int64_t left = w_count - m, rows = std::min(some, count - r);
      const float* y = w + m * w_stride + r;
      float* to = out + m * out_stride;
      if (left >= 4 && sizeof(T) < sizeof(float))  // row sections of float would be too short to hide memory latency
        mix_rows<T, 4>(x, a_stride, rows, y, w_stride, n, to, out_stride), m += 4;
      else if (left >= 2)
        mix_rows<T, 2>(x, a_stride, rows, y, w_stride, n, to, out_stride), m += 2;
      else
        mix_rows<T, 1>(x, a_stride, rows, y, w_stride, n, to, out_stride), m += 1;
    }
}

void fill(Simd& t, bool) {
  t.dots[0] = dots<float>, t.dots[2] = dots<BFloat>;
  t.mix[0] = mix<float>, t.mix[2] = mix<BFloat>;
  if (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3) t.dots[1] = dots<Half>, t.mix[1] = mix<Half>;
}

}  // namespace
}  // namespace arenascope::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
ARENASCOPE_FILL_BY_TARGET(fill_highway_dots)

#if HWY_ONCE
namespace arenascope::cpu {
void limit_highway() {
#if HWY_ARCH_X86
  int64_t above = 0;
  if (highest_level() < Level::Avx512) above |= HWY_AVX3 | HWY_AVX3_DL;
  if (highest_level() < Level::Avx2) above |= HWY_AVX2;
  if (above == 0) return;
  hwy::DisableTargets(above);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
#endif
}
}  // namespace arenascope::cpu
#endif
