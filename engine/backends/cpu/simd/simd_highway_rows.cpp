// SPDX-License-Identifier: MIT
// Row loops (sums, extremes, dot products, scaling) with Google Highway, compiled once per target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/backends/cpu/simd/simd_highway_rows.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include "engine/backends/cpu/simd/simd_math-inl.h"

#include <algorithm>

#include "engine/backends/cpu/kernels/half.h"

HWY_BEFORE_NAMESPACE();
namespace arenascope::cpu::HWY_NAMESPACE {
namespace {
using namespace math;

// Rows of an array larger than the caches are read twice, and the second pass would stall on memory. So each pass
// prefetches half a row beyond its own end, into L2, because L1 is full of this row. Short rows are left to the
// hardware prefetcher, which handles them better.
template <bool Past>
inline void prefetch_ahead(const float* x, int64_t ahead) {
  if (Past && ahead > 512) __builtin_prefetch(x + ahead, 0, 2);
}

// Σ value(i) with four independent vector accumulators within a block, in double across blocks. `vector` returns the
// values at i…i+lanes, `one` a single value.
template <class F, class G>
double blocked_sum(int64_t n, F&& vector, G&& one) {
  const int64_t step = lanes();
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += 8192) {
    const int64_t end = std::min<int64_t>(n, begin + 8192);
    V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    int64_t i = begin;
    for (; i + 4 * step <= end; i += 4 * step) {
      s0 = vector(s0, i);
      s1 = vector(s1, i + step);
      s2 = vector(s2, i + 2 * step);
      s3 = vector(s3, i + 3 * step);
    }
    for (; i + step <= end; i += step) s0 = vector(s0, i);
    float rest = 0;
    for (; i < end; ++i) rest += one(i);
    const V all = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, all))) + static_cast<double>(rest);
  }
  return total;
}

double sum(const float* x, int64_t n) {
  return blocked_sum(
      n, [x](V s, int64_t i) { return hn::Add(s, hn::LoadU(d, x + i)); }, [x](int64_t i) { return x[i]; });
}

template <bool Past>
double square_sum(const float* x, float mean, int64_t n) {
  const V m = hn::Set(d, mean);
  return blocked_sum(
      n,
      [x, m, n](V s, int64_t i) {
        prefetch_ahead<Past>(x + i, n / 2);
        const V difference = hn::Sub(hn::LoadU(d, x + i), m);
        return hn::MulAdd(difference, difference, s);
      },
      [x, mean](int64_t i) { return (x[i] - mean) * (x[i] - mean); });
}

template <bool Past>
double moments(const float* x, float shift, int64_t n, double* squares) {
  const int64_t step = lanes();
  const V m = hn::Set(d, shift);
  double total = 0, square_total = 0;
  for (int64_t begin = 0; begin < n; begin += 4096) {
    const int64_t end = std::min<int64_t>(n, begin + 4096);
    V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, q0 = s0, q1 = s0, q2 = s0, q3 = s0;
    int64_t i = begin;
    for (; i + 4 * step <= end; i += 4 * step) {
      for (int64_t j = 0; j < 4; ++j) prefetch_ahead<Past>(x + i + j * step, n / 2);
      const V x0 = hn::Sub(hn::LoadU(d, x + i), m), x1 = hn::Sub(hn::LoadU(d, x + i + step), m);
      const V x2 = hn::Sub(hn::LoadU(d, x + i + 2 * step), m), x3 = hn::Sub(hn::LoadU(d, x + i + 3 * step), m);
      s0 = hn::Add(s0, x0), s1 = hn::Add(s1, x1), s2 = hn::Add(s2, x2), s3 = hn::Add(s3, x3);
      q0 = hn::MulAdd(x0, x0, q0), q1 = hn::MulAdd(x1, x1, q1), q2 = hn::MulAdd(x2, x2, q2),
      q3 = hn::MulAdd(x3, x3, q3);
    }
    float rest = 0, square_rest = 0;
    for (; i < end; ++i) rest += x[i] - shift, square_rest += (x[i] - shift) * (x[i] - shift);
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))))) +
             static_cast<double>(rest);
    square_total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(q0, q1), hn::Add(q2, q3))))) +
                    static_cast<double>(square_rest);
  }
  *squares = square_total;
  return total;
}

float dot(const float* a, const float* b, int64_t n) {
  return static_cast<float>(blocked_sum(
      n, [a, b](V s, int64_t i) { return hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s); },
      [a, b](int64_t i) { return a[i] * b[i]; }));
}

// The extreme of a row; `pick` selects between two vectors. The result is NaN if any element is.
template <class Pick, class PickOne>
float extreme(const float* x, int64_t n, Pick&& pick, PickOne&& pick_one) {
  const int64_t step = lanes();
  float best = x[0];
  bool nan = false;
  int64_t i = 0;
  if (n >= step) {
    V v = hn::LoadU(d, x), v1 = v, v2 = v, v3 = v;
    // The sum of all elements is NaN if one is (or if there are infinities of both signs, which are then checked one by
    // one).
    V all = hn::Zero(d), all1 = all;
    for (; i + 4 * step <= n; i += 4 * step) {
      const V x0 = hn::LoadU(d, x + i), x1 = hn::LoadU(d, x + i + step), x2 = hn::LoadU(d, x + i + 2 * step),
              x3 = hn::LoadU(d, x + i + 3 * step);
      all = hn::Add(all, hn::Add(x0, x1)), all1 = hn::Add(all1, hn::Add(x2, x3));
      v = pick(v, x0), v1 = pick(v1, x1), v2 = pick(v2, x2), v3 = pick(v3, x3);
    }
    for (; i + step <= n; i += step) {
      const V next = hn::LoadU(d, x + i);
      all = hn::Add(all, next);
      v = pick(v, next);
    }
    v = pick(pick(v, v1), pick(v2, v3));
    auto bad = hn::IsNaN(hn::Add(all, all1));
    if (!hn::AllFalse(d, bad)) {
      bad = hn::IsNaN(hn::LoadU(d, x));
      for (int64_t j = 0; j + step <= i; j += step) bad = hn::Or(bad, hn::IsNaN(hn::LoadU(d, x + j)));
    }
    nan = !hn::AllFalse(d, bad);
    HWY_ALIGN float lane[HWY_MAX_BYTES / 4];
    hn::Store(v, d, lane);
    best = lane[0];
    for (int64_t l = 1; l < step; ++l) best = pick_one(best, lane[l]);
  }
  for (; i < n; ++i) {
    nan = nan || x[i] != x[i];
    best = pick_one(best, x[i]);
  }
  return nan ? hn::GetLane(hn::NaN(d)) : best;
}

float highest(const float* x, int64_t n) {
  return extreme(
      x, n, [](V a, V b) { return hn::Max(a, b); }, [](float a, float b) { return a > b ? a : b; });
}
float lowest(const float* x, int64_t n) {
  return extreme(
      x, n, [](V a, V b) { return hn::Min(a, b); }, [](float a, float b) { return a < b ? a : b; });
}

// e^y is 2^(y·log2 e), with the difference taken first: for large, nearly equal numbers the products with log2 e would
// round differently.
template <bool Past>
double exp_sum(float* out, const float* x, float scale, float shift, int64_t n) {
  const int64_t step = lanes();
  const V factor = hn::Set(d, scale), less = hn::Set(d, shift), log2e = number(1.4426950408889634);
  const auto power = [&](V v) { return two_to(hn::Mul(hn::MulSub(v, factor, less), log2e)); };
  double total = 0;
  int64_t i = 0;
  while (i + step <= n) {
    const int64_t end = std::min(n, i + 8192);
    V s0 = hn::Zero(d), s1 = s0;
    for (; i + 2 * step <= end; i += 2 * step) {
      prefetch_ahead<Past>(x + i, n + 1024), prefetch_ahead<Past>(x + i + step, n + 1024);
      const V y0 = power(hn::LoadU(d, x + i)), y1 = power(hn::LoadU(d, x + i + step));
      hn::StoreU(y0, d, out + i), hn::StoreU(y1, d, out + i + step);
      s0 = hn::Add(s0, y0), s1 = hn::Add(s1, y1);
    }
    for (; i + step <= end; i += step) {
      const V y = power(hn::LoadU(d, x + i));
      hn::StoreU(y, d, out + i);
      s0 = hn::Add(s0, y);
    }
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, s1))));
  }
  if (i < n) {
    HWY_ALIGN float tail[HWY_MAX_BYTES / 4] = {};
    std::copy(x + i, x + n, tail);
    hn::Store(power(hn::Load(d, tail)), d, tail);
    for (int64_t j = i; j < n; ++j) {
      out[j] = tail[j - i];
      total += static_cast<double>(out[j]);
    }
  }
  return total;
}

void add_scaled(float* out, const float* x, float factor, int64_t n) {
  const int64_t step = lanes();
  const V f = hn::Set(d, factor);
  int64_t i = 0;
  for (; i + step <= n; i += step) hn::StoreU(hn::MulAdd(f, hn::LoadU(d, x + i), hn::LoadU(d, out + i)), d, out + i);
  for (; i < n; ++i) out[i] = hn::GetLane(hn::MulAdd(f, hn::Set(d, x[i]), hn::Set(d, out[i])));
}

template <bool Past, bool Gain, bool Bias>
void normalise_row(float* out, const float* x, float mean, float factor, const float* gain, const float* bias,
                   int64_t n) {
  const int64_t step = lanes();
  const V m = hn::Set(d, mean), f = hn::Set(d, factor);
  const auto one = [&](int64_t i) {
    return (x[i] - mean) * factor * (Gain ? gain[i] : 1.0f) + (Bias ? bias[i] : 0.0f);
  };
  int64_t i = 0;
  if (Past)
    for (; i < n && reinterpret_cast<uintptr_t>(out + i) % (static_cast<size_t>(step) * 4) != 0; ++i) out[i] = one(i);
  for (; i + step <= n; i += step) {
    prefetch_ahead<Past>(x + i, n + n / 2);
    V y = hn::Mul(hn::Sub(hn::LoadU(d, x + i), m), f);
    if constexpr (Gain && Bias)
      y = hn::MulAdd(y, hn::LoadU(d, gain + i), hn::LoadU(d, bias + i));
    else if constexpr (Gain)
      y = hn::Mul(y, hn::LoadU(d, gain + i));
    else if constexpr (Bias)
      y = hn::Add(y, hn::LoadU(d, bias + i));
    if constexpr (Past)
      hn::Stream(y, d, out + i);
    else
      hn::StoreU(y, d, out + i);
  }
  for (; i < n; ++i) out[i] = one(i);
}

template <bool Past>
void normalise(float* out, const float* x, float mean, float factor, const float* gain, const float* bias, int64_t n) {
  if (gain && bias)
    normalise_row<Past, true, true>(out, x, mean, factor, gain, bias, n);
  else if (gain)
    normalise_row<Past, true, false>(out, x, mean, factor, gain, bias, n);
  else if (bias)
    normalise_row<Past, false, true>(out, x, mean, factor, gain, bias, n);
  else
    normalise_row<Past, false, false>(out, x, mean, factor, gain, bias, n);
}

void add_to_sums(float* out, double* sums, const float* x, bool before, int64_t n) {
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> narrow;
  const auto step = static_cast<int64_t>(hn::Lanes(wide));
  int64_t i = 0;
  for (; i + step <= n; i += step) {
    const auto was = hn::LoadU(wide, sums + i), is = hn::Add(was, hn::PromoteTo(wide, hn::LoadU(narrow, x + i)));
    hn::StoreU(is, wide, sums + i);
    hn::StoreU(hn::DemoteTo(narrow, before ? was : is), narrow, out + i);
  }
  for (; i < n; ++i) {
    const double was = sums[i];
    sums[i] += static_cast<double>(x[i]);
    out[i] = static_cast<float>(before ? was : sums[i]);
  }
}

void half_to_float(float* out, const uint16_t* x, int64_t n) {
  const hn::Rebind<hwy::float16_t, D> half;
  const int64_t step = lanes();
  int64_t i = 0;
  for (; i + step <= n; i += step)
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(x) + i)), d, out + i);
  for (; i < n; ++i) out[i] = to_float(Half{x[i]});
}

void fill(Simd& t, bool past) {
  t.lines.sum = sum, t.lines.square_sum = past ? square_sum<true> : square_sum<false>,
  t.lines.moments = past ? moments<true> : moments<false>, t.lines.dot = dot, t.lines.highest = highest,
  t.lines.lowest = lowest;
  t.lines.add_scaled = add_scaled, t.lines.normalise = past ? normalise<true> : normalise<false>,
  t.lines.exp_sum = past ? exp_sum<true> : exp_sum<false>;
  t.lines.add_to_sums = add_to_sums;
  if (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3)
    t.half_to_float = half_to_float;  // where the CPU has the instruction
}

}  // namespace
}  // namespace arenascope::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
ARENASCOPE_FILL_BY_TARGET(fill_highway_rows)
