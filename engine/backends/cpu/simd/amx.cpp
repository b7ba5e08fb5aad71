// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/simd/amx.h"

#include "engine/backends/cpu/simd/level.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace arenascope::cpu {

#if defined(__x86_64__) && defined(__linux__)
namespace {

bool cpu_has_int8_tiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kTile = 1u << 24, kInt8 = 1u << 25;  // leaf 7, EDX
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kTile) != 0 && (d & kInt8) != 0 &&
         __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
}

// Linux enables the 8 KiB of tile registers per process, on request.
bool request_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

bool has_amx_int8() {
  static const bool has = highest_level() >= Level::Amx && cpu_has_int8_tiles() && request_tiles();
  return has;
}
#else
bool has_amx_int8() { return false; }
#endif

}  // namespace arenascope::cpu
