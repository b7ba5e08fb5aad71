// SPDX-License-Identifier: MIT
// The instruction set of the kernels: the best that the CPU supports, limited by the environment variable
// ARENASCOPE_SIMD ("amx", "avx512", "avx2", "sse4" or "portable"). Read once.
#pragma once

namespace arenascope::cpu {

enum class Level { Portable, Sse4, Avx2, Avx512, Amx };
Level highest_level();

}  // namespace arenascope::cpu
