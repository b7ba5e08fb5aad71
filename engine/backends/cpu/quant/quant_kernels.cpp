// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/quant/quant_kernels.h"

#include <vector>

#include "engine/backends/cpu/quant/quant_levels.h"
#include "engine/backends/cpu/simd/amx.h"
#include "engine/backends/cpu/simd/level.h"

namespace arenascope::cpu {
namespace {

struct Levels {
  std::vector<QuantKernels> tables;
  std::vector<const QuantKernels*> pointers;
  size_t chosen = 0;

  Levels() {
    std::vector<Level> levels;
#if defined(__x86_64__)
    if (has_amx_int8()) tables.push_back(quant_amx()), levels.push_back(Level::Amx);
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
      tables.push_back(quant_avx512()), levels.push_back(Level::Avx512);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      if (has_avxvnni()) tables.push_back(quant_avxvnni()), levels.push_back(Level::Avx2);
      tables.push_back(quant_avx2()), levels.push_back(Level::Avx2);
    }
#endif
    tables.push_back(quant_portable()), levels.push_back(Level::Portable);
    for (const QuantKernels& t : tables) pointers.push_back(&t);
    while (levels[chosen] > highest_level()) ++chosen;
  }

#if defined(__x86_64__)
  // Not every GCC version knows the feature's name: leaf 7, subleaf 1, EAX bit 4.
  static bool has_avxvnni() {
    unsigned a = 7, b = 0, c = 1, d = 0;
    asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    return (a >> 4 & 1u) != 0;
  }
#endif
};

const Levels& levels() {
  static const Levels all;
  return all;
}

}  // namespace

const QuantKernels& quant_kernels() { return levels().tables[levels().chosen]; }
std::span<const QuantKernels* const> all_quant_kernels() { return levels().pointers; }

}  // namespace arenascope::cpu
