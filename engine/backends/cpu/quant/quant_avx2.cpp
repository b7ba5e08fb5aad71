// SPDX-License-Identifier: MIT
#include <immintrin.h>

#include "engine/backends/cpu/quant/quant_levels.h"
#include "engine/backends/cpu/target.h"

#if defined(__x86_64__)
ARENASCOPE_BEGIN_TARGET("avx2,fma,f16c")
#define ARENASCOPE_INLINE __attribute__((always_inline)) inline

namespace arenascope::cpu {
namespace {

#include "engine/backends/cpu/quant/quant_avx2.h"

struct L : Wide256 {
  static constexpr bool kSignedBytes = true;

  // Pairs of products are summed in 16 bits; that many quads fit before they must be widened.
  template <int Bits, int N>
  static ARENASCOPE_INLINE I dot(I start, const I* w, const uint8_t* q) {
    constexpr int kTogether = Bits == 4 ? 8 : Bits == 5 ? 4 : Bits == 6 ? 2 : 1;
    const I ones = _mm256_set1_epi16(1);
#pragma GCC unroll 8
    for (int j = 0; j < N; j += kTogether) {
      I pairs = product<Bits>(w[j], all_words(q + 4 * j));
      if constexpr (kTogether > 1)
        for (int i = j + 1; i < j + kTogether && i < N; ++i)
          pairs = _mm256_add_epi16(pairs, product<Bits>(w[i], all_words(q + 4 * i)));
      start = _mm256_add_epi32(start, _mm256_madd_epi16(pairs, ones));
    }
    return start;
  }
  template <int Bits, int R>
  static ARENASCOPE_INLINE void blocks(I* sums, const I* w, const uint8_t* q) {
    for (int r = 0; r < R; ++r) sums[r] = dot<Bits, 8>(sums[r], w, q + 32 * r);
  }
  template <int Bits>
  static ARENASCOPE_INLINE I product(I w, I x) {
    if constexpr (Bits == 8) {
      // As signed bytes, whose sign moves to the other operand. −128 stays 128 as an unsigned byte.
      w = _mm256_xor_si256(w, _mm256_set1_epi8(-128));
      return _mm256_maddubs_epi16(_mm256_sign_epi8(w, w), _mm256_sign_epi8(x, w));
    } else {
      return _mm256_maddubs_epi16(w, x);
    }
  }
};

#include "engine/backends/cpu/quant/quant_tile-inl.h"

}  // namespace

QuantKernels quant_avx2() { return made("AVX2"); }

}  // namespace arenascope::cpu
ARENASCOPE_END_TARGET
#endif
