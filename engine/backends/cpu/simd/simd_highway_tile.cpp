// SPDX-License-Identifier: MIT
// The inner GEMM tile with Google Highway, compiled once per target. The tile fills the CPU's registers: two vectors
// wide, twelve or six rows high.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/backends/cpu/simd/simd_highway_tile.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
#include "engine/backends/cpu/simd/simd_target-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arenascope::cpu::HWY_NAMESPACE {
namespace {
using namespace floats;
constexpr int kRows = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL ? 12 : 6;

// The first R rows, of which `rows` are stored.
template <int R>
void tile_of(int64_t depth, const float* a, const float* b, float* c, int64_t c_stride, int64_t rows, bool accumulate) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V left[R], right[R];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) left[i] = right[i] = hn::Zero(d);
  for (int64_t k = 0; k < depth; ++k, a += kRows, b += 2 * lanes) {
    const V b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + lanes);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const V factor = hn::Set(d, a[i]);
      left[i] = hn::MulAdd(factor, b0, left[i]);
      right[i] = hn::MulAdd(factor, b1, right[i]);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i, c += c_stride) {
    if (i >= rows) return;
    if (accumulate) {
      left[i] = hn::Add(left[i], hn::LoadU(d, c));
      right[i] = hn::Add(right[i], hn::LoadU(d, c + lanes));
    }
    hn::StoreU(left[i], d, c);
    hn::StoreU(right[i], d, c + lanes);
  }
}

void tile(int64_t depth, const float* a, const float* b, float* c, int64_t c_stride, int64_t rows, bool accumulate) {
  constexpr int kThird = kRows / 3;
  if (rows > 2 * kThird)
    tile_of<kRows>(depth, a, b, c, c_stride, rows, accumulate);
  else if (rows > kThird)
    tile_of<2 * kThird>(depth, a, b, c, c_stride, rows, accumulate);
  else
    tile_of<kThird>(depth, a, b, c, c_stride, rows, accumulate);
}

void fill(Simd& t, bool) {
  t.tile = tile;
  t.tile_rows = kRows;
  t.tile_columns = 2 * static_cast<int>(hn::Lanes(d));
}

}  // namespace
}  // namespace arenascope::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
ARENASCOPE_FILL_BY_TARGET(fill_highway_tile)
