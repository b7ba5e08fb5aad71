// SPDX-License-Identifier: MIT
// Tiles of the quantised matmul for an instruction set L, which the including file defines (after its target pragma, in
// an anonymous namespace). No include guard: each level includes it once in a namespace of its own.

#include "engine/backends/cpu/quant/quant_unit-inl.h"

template <QuantKind K, int M>
void tile(const std::byte* panel, const std::byte* group, int64_t units, float* out, int64_t stride, int columns) {
  using U = Unit<K>;
  using I = typename L::I;
  using F = typename L::F;
  constexpr int W = L::kWidth;
  constexpr bool kOffset = U::kShape.offset != 0 && !(K == QuantKind::Q8_0 && L::kSignedBytes);
  const auto* unit = reinterpret_cast<const uint8_t*>(panel);
  const auto* x = reinterpret_cast<const uint8_t*>(group);
  F sums[M];
#pragma GCC unroll 12
  for (int r = 0; r < M; ++r) sums[r] = L::zero();
  for (int64_t u = 0; u < units; ++u, unit += U::kShape.unit_bytes * W) {
    F whole, least;
    U::super(unit, whole, least);
#pragma GCC unroll 1
    for (int b = 0; b < U::kShape.blocks; ++b, x += kGroupBlockBytes * M) {
      constexpr int kBlockBytes = U::kShape.unit_bytes * W / U::kShape.blocks;
      if constexpr (M <= 2 && U::kAhead > 0)
        L::template prefetch<(kBlockBytes + 63) / 64>(unit + U::kAhead + b * kBlockBytes);
      I w[8];
      U::values(unit, b, w);
      const typename U::Scales s = U::scales(unit, b, whole, least);
      const uint8_t *scales = x + 32 * M, *offsets = scales + 4 * M, *totals = offsets + 8 * M;
      if constexpr (U::kSix) {
#pragma GCC unroll 12
        for (int r = 0; r < M; ++r) {
          const uint8_t* q = x + 32 * r;
          const I one = L::template dot<U::kBits, 4>(L::all_words(offsets + 8 * r), w, q);
          const I two = L::template dot<U::kBits, 4>(L::all_words(offsets + 8 * r + 4), w + 4, q + 16);
          sums[r] = L::mul_add(L::mul_add(L::number(two), s.second, L::mul(L::number(one), s.scale)),
                               L::all(scales + 4 * r), sums[r]);
        }
      } else {
        constexpr int R = L::kRowsAtOnce < M ? L::kRowsAtOnce : M;
#pragma GCC unroll 12
        for (int first = 0; first < M; first += R) {
          I dots[R];
#pragma GCC unroll 4
          for (int r = 0; r < R; ++r) dots[r] = kOffset ? L::all_words(offsets + 8 * (first + r)) : L::start_words();
          L::template blocks<U::kBits, R>(dots, w, x + 32 * first);
#pragma GCC unroll 4
          for (int r = 0; r < R; ++r) {
            F& sum = sums[first + r];
            sum = L::mul_add(L::number(dots[r]), L::mul(s.scale, L::all(scales + 4 * (first + r))), sum);
            if constexpr (U::kShape.minima) sum = U::with_minimum(sum, s.minimum, L::all(totals + 4 * (first + r)));
          }
        }
      }
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < M; ++r) L::store(sums[r], out + r * stride, columns);
}

bool quantise(QuantKind kind, bool no_offset, const float* x, int64_t blocks, int m, int r, std::byte* group) {
  const QuantShape shape = quant_shape(kind);
  const int offset = no_offset ? 0 : shape.offset;
  const bool six = kind == QuantKind::Q6_K;
  for (int64_t b = 0; b < blocks; ++b, x += 32) {
    std::byte* const record = group + b * kGroupBlockBytes * m;
    uint32_t bits[32], largest = 0;
    __builtin_memcpy(bits, x, sizeof bits);
    for (int i = 0; i < 32; ++i) {
      const uint32_t magnitude = bits[i] & 0x7fffffffu;
      largest = magnitude > largest ? magnitude : largest;
    }
    if (largest >= 0x7f800000u) return false;
    float top;
    __builtin_memcpy(&top, &largest, 4);
    const bool tiny = top < 1e-30f;
    const float scale = tiny ? 0 : top * (1.0f / 127), inverse = tiny ? 0 : 127.0f / top;
    alignas(32) int8_t q[32];
    int32_t wide[32], sums[2] = {0, 0};
    for (int i = 0; i < 32; ++i) {  // the low bits of the sum are the value rounded to even
      const float shifted = x[i] * inverse + 12582912.0f;
      __builtin_memcpy(&wide[i], &shifted, 4);
    }
    for (int i = 0; i < 32; ++i) q[i] = static_cast<int8_t>(wide[i] -= 0x4b400000);
    for (int h = 0; h < 2; ++h)
      for (int i = 0; i < 16; ++i) sums[h] += wide[16 * h + i];
    const int32_t offsets[2] = {L::kStart - offset * (six ? sums[0] : sums[0] + sums[1]), L::kStart - offset * sums[1]};
    const float total = scale * static_cast<float>(sums[0] + sums[1]);
    __builtin_memcpy(record + 32 * r, q, 32);
    __builtin_memcpy(record + 32 * m + 4 * r, &scale, 4);
    __builtin_memcpy(record + 36 * m + 8 * r, offsets, 8);
    __builtin_memcpy(record + 44 * m + 4 * r, &total, 4);
  }
  return true;
}

template <QuantKind K>
void fill_kind(QuantKernels& t) {
  auto& row = t.tile[static_cast<int>(K)];
  row[0] = tile<K, 1>;
  row[1] = tile<K, 2>;
  row[2] = tile<K, 4>;
  if constexpr (L::kMaxRows >= 8) row[3] = tile<K, 8>;
  if constexpr (L::kMaxRows >= 12) row[4] = tile<K, 12>;
}

QuantKernels made(const char* name) {
  QuantKernels t{name, L::kWidth, L::kMaxRows, L::kSignedBytes, {}, quantise};
  fill_kind<QuantKind::Q8_0>(t);
  fill_kind<QuantKind::Q4_0>(t);
  fill_kind<QuantKind::Q4_1>(t);
  fill_kind<QuantKind::Q5_0>(t);
  fill_kind<QuantKind::Q5_1>(t);
  fill_kind<QuantKind::Q4_K>(t);
  fill_kind<QuantKind::Q5_K>(t);
  fill_kind<QuantKind::Q6_K>(t);
  return t;
}
