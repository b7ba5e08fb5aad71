// SPDX-License-Identifier: MIT
// Four byte products per instruction and lane, summed in 32 bits without saturation (VPDPBUSD).
#include "engine/backends/cpu/kernels/conv_int8.h"
#include "engine/backends/cpu/simd/amx.h"
#include "engine/backends/cpu/simd/level.h"
#include "engine/backends/cpu/target.h"

#if defined(__x86_64__)
#include <immintrin.h>
ARENASCOPE_BEGIN_TARGET("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")

namespace arenascope::cpu {
namespace {

// P neighbouring positions and B blocks of 16 results.
template <int P, int B>
void some_places(const ByteSums& s, int64_t place) {
  __m512i sums[P][B];
#pragma GCC unroll 8
  for (int p = 0; p < P; ++p)
#pragma GCC unroll 4
    for (int b = 0; b < B; ++b) sums[p][b] = _mm512_loadu_si512(s.start + 16 * b);
  const int64_t block = s.tap_count * s.quads * 64;
  const int8_t* w = s.weights;
  for (int64_t tap = 0; tap < s.tap_count; ++tap) {
    const uint8_t* x = s.x + s.taps[tap] + place * s.step;
    for (int64_t quad = 0; quad < s.quads; ++quad, x += 4, w += 64) {
      __m512i weights[B];
#pragma GCC unroll 4
      for (int b = 0; b < B; ++b) weights[b] = _mm512_loadu_si512(w + b * block);
#pragma GCC unroll 8
      for (int p = 0; p < P; ++p) {
        int four;
        __builtin_memcpy(&four, x + p * s.step, 4);
        const __m512i all = _mm512_set1_epi32(four);
#pragma GCC unroll 4
        for (int b = 0; b < B; ++b) sums[p][b] = _mm512_dpbusd_epi32(sums[p][b], all, weights[b]);
      }
    }
  }
#pragma GCC unroll 8
  for (int p = 0; p < P; ++p)
#pragma GCC unroll 4
    for (int b = 0; b < B; ++b) _mm512_storeu_si512(s.to + (place + p) * s.to_stride + 16 * b, sums[p][b]);
}

template <int B>
void all_places(const ByteSums& s) {
  constexpr int kTogether = B == 4 ? 6 : 8;
  int64_t place = 0;
  for (; place + kTogether <= s.places; place += kTogether) some_places<kTogether, B>(s, place);
  for (; place + 2 <= s.places; place += 2) some_places<2, B>(s, place);
  for (; place < s.places; ++place) some_places<1, B>(s, place);
}

void sums_by_vnni(const ByteSums& s) {
  if (s.blocks == 4) return all_places<4>(s);
  if (s.blocks == 3) return all_places<3>(s);
  if (s.blocks == 2) return all_places<2>(s);
  all_places<1>(s);
}

void sums_by_amx(const ByteSums& s) {
  if (suits_amx(s))
    byte_sums_amx(s);
  else
    sums_by_vnni(s);
}

}  // namespace
}  // namespace arenascope::cpu
ARENASCOPE_END_TARGET

namespace arenascope::cpu {
ByteSumsLoop byte_sums() {
  static const bool has = __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl") && highest_level() >= Level::Avx512;
  return !has ? nullptr : has_amx_int8() ? sums_by_amx : sums_by_vnni;
}
}  // namespace arenascope::cpu
#else
namespace arenascope::cpu {
ByteSumsLoop byte_sums() { return nullptr; }
}  // namespace arenascope::cpu
#endif
