// SPDX-License-Identifier: MIT
// The quantised matmul with AMX for many rows: sums of 16 rows × 16 columns over a block of 32 are one instruction.
// Scales and sums are those of quant_tile-inl.h, operation by operation, so results have the same bits.
#include <immintrin.h>

#include "engine/backends/cpu/quant/quant_levels.h"
#include "engine/backends/cpu/simd/amx.h"
#include "engine/backends/cpu/target.h"

#if defined(__x86_64__)
ARENASCOPE_BEGIN_TARGET("amx-tile,amx-int8,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")
#define ARENASCOPE_INLINE __attribute__((always_inline)) inline

namespace arenascope::cpu {
namespace {

#include "engine/backends/cpu/quant/quant_avx512.h"
#include "engine/backends/cpu/quant/quant_unit-inl.h"

constexpr int kTileRows = 16, kTileValues = 16 * 16;
constexpr int kBatch = 8;  // blocks that are unpacked together for all rows: 4 KiB

// Signed values and scales of consecutive blocks of a panel.
template <QuantKind K>
struct UnpackedBlocks {
  using U = Unit<K>;
  alignas(64) uint8_t values[kBatch][8 * 64];
  typename U::Scales scales[kBatch];

  ARENASCOPE_INLINE void unpack(const uint8_t* unit, int blocks) {
    const __m512i offset = _mm512_set1_epi8(static_cast<char>(U::kShape.offset));
    L::F whole, least;
    for (int i = 0; i < blocks; ++i) {
      const int block = i % U::kShape.blocks;
      if (block == 0) U::super(unit, whole, least);
      L::I w[8];
      U::values(unit, block, w);
#pragma GCC unroll 8
      for (int j = 0; j < 8; ++j) _mm512_store_si512(values[i] + 64 * j, _mm512_sub_epi8(w[j], offset));
      scales[i] = U::scales(unit, block, whole, least);
      if (block + 1 == U::kShape.blocks) unit += U::kShape.unit_bytes * L::kWidth;
    }
    __asm__ volatile("" ::: "memory");  // tile loads do not name the memory that they read
  }
};

// Integer sums of 16 rows with a block; Q6_K: of its halves. Two sets of tiles alternate.
template <bool Six, bool Odd>
ARENASCOPE_INLINE void multiply(const uint8_t* rows, const uint8_t* values, int32_t* to) {
  if constexpr (Six) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_loadd(4, rows, 32);
    _tile_loadd(5, rows + 16, 32);
    _tile_loadd(6, values, 64);
    _tile_loadd(7, values + 256, 64);
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 5, 7);
    _tile_stored(0, to, 64);
    _tile_stored(1, to + kTileValues, 64);
  } else if constexpr (Odd) {
    _tile_zero(1);
    _tile_loadd(5, rows, 32);
    _tile_loadd(7, values, 64);
    _tile_dpbssd(1, 5, 7);
    _tile_stored(1, to, 64);
  } else {
    _tile_zero(0);
    _tile_loadd(4, rows, 32);
    _tile_loadd(6, values, 64);
    _tile_dpbssd(0, 4, 6);
    _tile_stored(0, to, 64);
  }
}

// sums += scaled integer sums of a block.
template <QuantKind K>
ARENASCOPE_INLINE void add_block(const typename Unit<K>::Scales& s, const int32_t* dots, const uint8_t* scales,
                                 const uint8_t* totals, L::F* sums) {
  using U = Unit<K>;
#pragma GCC unroll 16
  for (int r = 0; r < kTileRows; ++r) {
    const L::F by = L::all(scales + 4 * r), one = _mm512_cvtepi32_ps(L::load(dots + 16 * r));
    if constexpr (U::kSix) {
      const L::F two = _mm512_cvtepi32_ps(L::load(dots + kTileValues + 16 * r));
      sums[r] = L::mul_add(L::mul_add(two, s.second, L::mul(one, s.scale)), by, sums[r]);
    } else {
      sums[r] = L::mul_add(one, L::mul(s.scale, by), sums[r]);
      if constexpr (U::kShape.minima) sums[r] = U::with_minimum(sums[r], s.minimum, L::all(totals + 4 * r));
    }
  }
}

// Adds some blocks to the results of 16 rows; `x`: the first block's record of a group of M, `first`: its first row.
template <QuantKind K, int M>
void add_blocks(const UnpackedBlocks<K>& w, int blocks, const uint8_t* x, int first, float* results) {
  constexpr bool kSix = Unit<K>::kSix;
  constexpr int64_t kRecord = kGroupBlockBytes * M;
  alignas(64) int32_t dots[2][(kSix ? 2 : 1) * kTileValues];
  L::F sums[kTileRows];
#pragma GCC unroll 16
  for (int r = 0; r < kTileRows; ++r) sums[r] = _mm512_load_ps(results + 16 * r);
  const uint8_t* const rows = x + 32 * first;
  const uint8_t *scales = x + 32 * M + 4 * first, *totals = x + 44 * M + 4 * first;
  multiply<kSix, false>(rows, w.values[0], dots[0]);
  for (int b = 0; b < blocks; b += 2, scales += 2 * kRecord, totals += 2 * kRecord) {
    if (b + 1 < blocks) multiply<kSix, true>(rows + (b + 1) * kRecord, w.values[b + 1], dots[1]);
    add_block<K>(w.scales[b], dots[0], scales, totals, sums);
    if (b + 2 < blocks) multiply<kSix, false>(rows + (b + 2) * kRecord, w.values[b + 2], dots[0]);
    if (b + 1 < blocks) add_block<K>(w.scales[b + 1], dots[1], scales + kRecord, totals + kRecord, sums);
  }
#pragma GCC unroll 16
  for (int r = 0; r < kTileRows; ++r) _mm512_store_ps(results + 16 * r, sums[r]);
}

template <QuantKind K, int M>
void amx_tile(const std::byte* panel, const std::byte* group, int64_t units, float* out, int64_t stride, int columns) {
  using U = Unit<K>;
  constexpr int kTogether = kBatch / U::kShape.blocks;  // units
  static const AmxConfig config(kTileRows, U::kSix ? 4 : 8);
  _tile_loadconfig(&config);
  alignas(64) float results[M * 16] = {};
  UnpackedBlocks<K> w;
  const auto* unit = reinterpret_cast<const uint8_t*>(panel);
  const auto* x = reinterpret_cast<const uint8_t*>(group);
  for (int64_t u = 0; u < units; u += kTogether) {
    const int blocks = static_cast<int>(units - u < kTogether ? units - u : kTogether) * U::kShape.blocks;
    w.unpack(unit, blocks);
    for (int first = 0; first < M; first += kTileRows) add_blocks<K, M>(w, blocks, x, first, results + first * 16);
    unit += kTogether * U::kShape.unit_bytes * L::kWidth;
    x += kBatch * kGroupBlockBytes * M;
  }
  _tile_release();
  for (int r = 0; r < M; ++r) L::store(_mm512_load_ps(results + 16 * r), out + r * stride, columns);
}

template <QuantKind K>
void fill_many_rows(QuantKernels& t) {
  t.tile[static_cast<int>(K)][5] = amx_tile<K, 16>;
  t.tile[static_cast<int>(K)][6] = amx_tile<K, 32>;
}

}  // namespace

QuantKernels quant_amx() {
  QuantKernels t = quant_avx512();
  t.name = "AMX", t.max_rows = 32;
  fill_many_rows<QuantKind::Q8_0>(t);
  fill_many_rows<QuantKind::Q4_0>(t);
  fill_many_rows<QuantKind::Q4_1>(t);
  fill_many_rows<QuantKind::Q5_0>(t);
  fill_many_rows<QuantKind::Q5_1>(t);
  fill_many_rows<QuantKind::Q4_K>(t);
  fill_many_rows<QuantKind::Q5_K>(t);
  fill_many_rows<QuantKind::Q6_K>(t);
  return t;
}

}  // namespace arenascope::cpu
ARENASCOPE_END_TARGET
#endif
