// SPDX-License-Identifier: MIT
// The highest instruction set of the kernels, if the CPU supports it: AVX-512, or the value of the environment variable
// ARENASCOPE_SIMD, read once ("avx512", "avx2", "sse4", "portable", or "amx", which is used on request only).
#pragma once

namespace arenascope::cpu {

enum class Level { Portable, Sse4, Avx2, Avx512, Amx };
Level highest_level();

}  // namespace arenascope::cpu
