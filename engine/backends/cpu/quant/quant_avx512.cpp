// SPDX-License-Identifier: MIT
#include <immintrin.h>

#include "engine/backends/cpu/quant/quant_levels.h"
#include "engine/backends/cpu/target.h"

#if defined(__x86_64__)
ARENASCOPE_BEGIN_TARGET("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma,f16c")
#define ARENASCOPE_INLINE __attribute__((always_inline)) inline

namespace arenascope::cpu {
namespace {

#include "engine/backends/cpu/quant/quant_avx512.h"
#include "engine/backends/cpu/quant/quant_tile-inl.h"

}  // namespace

QuantKernels quant_avx512() { return made("AVX-512 VNNI"); }

}  // namespace arenascope::cpu
ARENASCOPE_END_TARGET
#endif
