// SPDX-License-Identifier: MIT
// Which instructions the kernels use: the best that the processor has, or those that the environment variable
// ARENASCOPE_SIMD names: "avx512", "avx2", "sse4" or "portable", and none above. Read once.
#pragma once

namespace arenascope::cpu {

enum class Level { Portable, Sse4, Avx2, Avx512 };
Level highest_level();

}  // namespace arenascope::cpu
