// SPDX-License-Identifier: MIT
// Building blocks of attention, with Google Highway: matmuls whose right side is a strip of up to three vectors of
// columns and whose left side is read in place, element by element; and softmax down the columns of such a strip.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/backends/cpu/simd/simd_highway_strip.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
#include "engine/backends/cpu/simd/simd_math-inl.h"

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace arenascope::cpu::HWY_NAMESPACE {
namespace {
using namespace math;

constexpr bool kManyRegisters = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_NEON;
constexpr int kRows = kManyRegisters ? 8 : 4;

// R rows of C by W vectors.
template <int R, int W>
void block(int64_t depth, const float* a, int64_t a_row, int64_t a_step, const float* b, int64_t b_stride, float* c,
           int64_t c_stride, bool accumulate) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V s[R * W];
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 3
    for (int w = 0; w < W; ++w) s[r * W + w] = accumulate ? hn::LoadU(d, c + r * c_stride + w * lanes) : hn::Zero(d);
  for (int64_t k = 0; k < depth; ++k, a += a_step, b += b_stride) {
    V x[W];
#pragma GCC unroll 3
    for (int w = 0; w < W; ++w) x[w] = hn::LoadU(d, b + w * lanes);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const V factor = hn::Set(d, a[r * a_row]);
#pragma GCC unroll 3
      for (int w = 0; w < W; ++w) s[r * W + w] = hn::MulAdd(factor, x[w], s[r * W + w]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 3
    for (int w = 0; w < W; ++w) hn::StoreU(s[r * W + w], d, c + r * c_stride + w * lanes);
}

template <int W>
void rows_of(int64_t depth, const float* a, int64_t a_row, int64_t a_step, int64_t rows, const float* b,
             int64_t b_stride, float* c, int64_t c_stride, bool accumulate) {
  int64_t r = 0;
  for (; r + kRows <= rows; r += kRows)
    block<kRows, W>(depth, a + r * a_row, a_row, a_step, b, b_stride, c + r * c_stride, c_stride, accumulate);
  if constexpr (kRows > 4)
    for (; r + 4 <= rows; r += 4)
      block<4, W>(depth, a + r * a_row, a_row, a_step, b, b_stride, c + r * c_stride, c_stride, accumulate);
  for (; r + 2 <= rows; r += 2)
    block<2, W>(depth, a + r * a_row, a_row, a_step, b, b_stride, c + r * c_stride, c_stride, accumulate);
  for (; r < rows; ++r)
    block<1, W>(depth, a + r * a_row, a_row, a_step, b, b_stride, c + r * c_stride, c_stride, accumulate);
}

void strip(int64_t depth, const float* a, int64_t a_row, int64_t a_step, int64_t rows, const float* b, int64_t b_stride,
           int vectors, float* c, int64_t c_stride, bool accumulate) {
  if (vectors == 3)
    rows_of<3>(depth, a, a_row, a_step, rows, b, b_stride, c, c_stride, accumulate);
  else if (vectors == 2)
    rows_of<2>(depth, a, a_row, a_step, rows, b, b_stride, c, c_stride, accumulate);
  else
    rows_of<1>(depth, a, a_row, a_step, rows, b, b_stride, c, c_stride, accumulate);
}

bool soften(float* s, int64_t rows, int64_t stride, int vectors, float* highest, float* sums, float* corrections) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V least = hn::Neg(hn::Inf(d));
  bool corrected = false;
  for (int64_t at = 0; at < vectors * lanes; at += lanes) {
    const V before = hn::LoadU(d, highest + at);
    V top = before, top1 = before;
    int64_t r = 0;
    for (; r + 2 <= rows; r += 2) {
      top = hn::Max(hn::LoadU(d, s + r * stride + at), top);
      top1 = hn::Max(hn::LoadU(d, s + (r + 1) * stride + at), top1);
    }
    if (r < rows) top = hn::Max(hn::LoadU(d, s + r * stride + at), top);
    top = hn::Max(top1, top);
    // As long as nothing is visible, the scores are used unshifted: all powers are 0.
    const V shift = hn::IfThenElse(hn::Eq(top, least), hn::Zero(d), top);
    const V correction = exp_below_zero_of(hn::Sub(before, shift));
    corrected = corrected || !hn::AllTrue(d, hn::Eq(before, top));
    V sum = hn::Zero(d), sum1 = sum;
    for (r = 0; r + 2 <= rows; r += 2) {
      float* x = s + r * stride + at;
      const V y = exp_below_zero_of(hn::Sub(hn::LoadU(d, x), shift)),
              y1 = exp_below_zero_of(hn::Sub(hn::LoadU(d, x + stride), shift));
      hn::StoreU(y, d, x), hn::StoreU(y1, d, x + stride);
      sum = hn::Add(sum, y), sum1 = hn::Add(sum1, y1);
    }
    if (r < rows) {
      float* x = s + r * stride + at;
      const V y = exp_below_zero_of(hn::Sub(hn::LoadU(d, x), shift));
      hn::StoreU(y, d, x);
      sum = hn::Add(sum, y);
    }
    hn::StoreU(hn::MulAdd(hn::LoadU(d, sums + at), correction, hn::Add(sum, sum1)), d, sums + at);
    hn::StoreU(top, d, highest + at);
    hn::StoreU(correction, d, corrections + at);
  }
  return corrected;
}

void fill(Simd& t, bool) {
  t.strip = strip, t.soften = soften;
  t.lanes = static_cast<int>(hn::Lanes(d));
}

}  // namespace
}  // namespace arenascope::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
ARENASCOPE_FILL_BY_TARGET(fill_highway_strip)
