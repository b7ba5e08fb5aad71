// SPDX-License-Identifier: MIT
// Sums of 8-bit convolutions with AMX: 16 positions × 16 results × 64 channels per instruction, in 32 bits without
// saturation.
#include <algorithm>

#include "engine/backends/cpu/kernels/conv_int8.h"
#include "engine/backends/cpu/simd/amx.h"
#include "engine/backends/cpu/target.h"

#if defined(__x86_64__)
#include <immintrin.h>
ARENASCOPE_BEGIN_TARGET("amx-tile,amx-int8")

namespace arenascope::cpu {
namespace {

// P tiles of positions, which start at `first` and `second`, and B blocks of results, `quads` × 4 channels at a time.
template <int P, int B>
void tile_sums(const ByteSums& s, int64_t first, int64_t second, int64_t quads) {
  const int64_t block = s.tap_count * s.quads * 64, step = s.step;
  _tile_loadd(0, s.start, 0);
  if constexpr (B == 2) _tile_loadd(1, s.start + 16, 0);
  if constexpr (P == 2) _tile_loadd(2, s.start, 0);
  if constexpr (P == 2 && B == 2) _tile_loadd(3, s.start + 16, 0);
  const int8_t* w = s.weights;
  for (int64_t tap = 0; tap < s.tap_count; ++tap)
    for (int64_t quad = 0; quad < s.quads; quad += quads, w += quads * 64) {
      const uint8_t* x = s.x + s.taps[tap] + 4 * quad;
      _tile_loadd(6, w, 64);
      _tile_loadd(4, x + first * step, step);
      _tile_dpbusd(0, 4, 6);
      if constexpr (B == 2) {
        _tile_loadd(7, w + block, 64);
        _tile_dpbusd(1, 4, 7);
      }
      if constexpr (P == 2) {
        _tile_loadd(5, x + second * step, step);
        _tile_dpbusd(2, 5, 6);
        if constexpr (B == 2) _tile_dpbusd(3, 5, 7);
      }
    }
  const int64_t stride = 4 * s.to_stride;
  int32_t *const one = s.to + first * s.to_stride, *const two = s.to + second * s.to_stride;
  _tile_stored(0, one, stride);
  if constexpr (B == 2) _tile_stored(1, one + 16, stride);
  if constexpr (P == 2) _tile_stored(2, two, stride);
  if constexpr (P == 2 && B == 2) _tile_stored(3, two + 16, stride);
}

// The most quads per tile such that all tiles are equal.
int64_t tile_quads(int64_t quads) {
  int64_t most = std::min<int64_t>(16, quads);
  while (quads % most != 0) --most;
  return most;
}

template <int B>
void sum_positions(const ByteSums& s, int64_t tiles, int64_t rows, int64_t quads) {
  const auto begin = [&](int64_t tile) { return std::min(tile * rows, s.places - rows); };  // the last ones may overlap
  int64_t tile = 0;
  for (; tile + 2 <= tiles; tile += 2) tile_sums<2, B>(s, begin(tile), begin(tile + 1), quads);
  if (tile < tiles) tile_sums<1, B>(s, begin(tile), 0, quads);
}

}  // namespace

bool suits_amx(const ByteSums& s) { return s.places >= 7 && tile_quads(s.quads) >= 8; }

void byte_sums_amx(const ByteSums& all) {
  const int64_t tiles = (all.places + 15) / 16, rows = (all.places + tiles - 1) / tiles, quads = tile_quads(all.quads);
  const AmxConfig config(static_cast<int>(rows), static_cast<int>(quads));
  __asm__ volatile("" ::: "memory");  // GCC 12's _tile_loadconfig() names only 8 of the 64 bytes that it reads
  _tile_loadconfig(&config);
  ByteSums s = all;
  for (; s.blocks > 0; s.blocks -= 2) {
    if (s.blocks == 1)
      sum_positions<1>(s, tiles, rows, quads);
    else
      sum_positions<2>(s, tiles, rows, quads);
    s.weights += 2 * s.tap_count * s.quads * 64, s.start += 32, s.to += 32;
  }
  _tile_release();
}

}  // namespace arenascope::cpu
ARENASCOPE_END_TARGET
#endif
