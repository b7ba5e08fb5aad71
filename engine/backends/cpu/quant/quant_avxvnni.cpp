// SPDX-License-Identifier: MIT
#include <immintrin.h>

#include "engine/backends/cpu/quant/quant_levels.h"
#include "engine/backends/cpu/target.h"

#if defined(__x86_64__)
ARENASCOPE_BEGIN_TARGET("avx2,fma,f16c,avxvnni")
#define ARENASCOPE_INLINE __attribute__((always_inline)) inline

namespace arenascope::cpu {
namespace {

#include "engine/backends/cpu/quant/quant_avx2.h"

struct L : Wide256 {
  static constexpr bool kSignedBytes = false;
  template <int Bits, int N>
  static ARENASCOPE_INLINE I dot(I start, const I* w, const uint8_t* q) {
#pragma GCC unroll 8
    for (int j = 0; j < N; ++j) start = _mm256_dpbusd_avx_epi32(start, w[j], all_words(q + 4 * j));
    return start;
  }
  template <int Bits, int R>
  static ARENASCOPE_INLINE void blocks(I* sums, const I* w, const uint8_t* q) {
    for (int r = 0; r < R; ++r) sums[r] = dot<Bits, 8>(sums[r], w, q + 32 * r);
  }
};

#include "engine/backends/cpu/quant/quant_tile-inl.h"

}  // namespace

QuantKernels quant_avxvnni() { return made("AVX-VNNI"); }

}  // namespace arenascope::cpu
ARENASCOPE_END_TARGET
#endif
