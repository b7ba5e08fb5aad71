// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/simd/level.h"

#include <cstdlib>
#include <string_view>

namespace arenascope::cpu {

Level highest_level() {
  static const Level level = [] {
    const char* value = std::getenv("ARENASCOPE_SIMD");
    const std::string_view name = value ? value : "";
    if (name == "portable") return Level::Portable;
    if (name == "sse4") return Level::Sse4;
    if (name == "avx2") return Level::Avx2;
    if (name == "amx") return Level::Amx;
    return Level::Avx512;
  }();
  return level;
}

}  // namespace arenascope::cpu
