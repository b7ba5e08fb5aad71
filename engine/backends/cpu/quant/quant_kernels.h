// SPDX-License-Identifier: MIT
// Matmuls of packed quantised weights with activations that are quantised on the fly, as a table of functions chosen
// once for the CPU: AMX (if requested), AVX-512 with VNNI, AVX-VNNI, AVX2, or plain loops that a compiler vectorises
// (for example to NEON dot products).
//
// Error: activations are rounded to multiples of their block's largest magnitude ÷ 127, with blocks of 32; everything
// else is exact integers and float sums. So |error| ≤ Σ over blocks (largest |x| ÷ 254) · Σ|w|, plus float rounding.
#pragma once
#include <span>

#include "engine/backends/cpu/quant/quant_pack.h"

namespace arenascope::cpu {

// Activation rows in groups of `m`. A block of 32 depth positions of a group is
//   m × 32 int8 values, m f32 scales, m × 2 int32 start −offset·(sum of 16 values) (the first −offset·sum of all 32
//   where the type has one scale for them), m f32 scale·sum. `start` is that of the level's integer sums.
inline constexpr int kGroupSizes[] = {1, 2, 4, 8, 12, 16, 32};
inline constexpr int kGroupKinds = 7, kMaxGroup = 32;
inline constexpr int kGroupBlockBytes = 48;  // per row

struct QuantKernels {
  const char* name;
  int width;          // columns per panel
  int max_rows;       // per group
  bool signed_bytes;  // Q8_0: values are signed, without offset
  // out[r·stride + c] for m rows and `columns` (≤ width) columns.
  using Tile = void (*)(const std::byte* panel, const std::byte* group, int64_t units, float* out, int64_t stride,
                        int columns);
  Tile tile[kQuantKinds][kGroupKinds];  // by kind and index in kGroupSizes; null beyond max_rows
  // Quantises a row of `blocks` × 32 floats as row r of a group of m. False: a value is not finite.
  bool (*quantise)(QuantKind kind, bool no_offset, const float* x, int64_t blocks, int m, int r, std::byte* group);
};

const QuantKernels& quant_kernels();                       // the best up to highest_level()
std::span<const QuantKernels* const> all_quant_kernels();  // all that this CPU can run, the best first

}  // namespace arenascope::cpu
