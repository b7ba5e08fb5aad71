// SPDX-License-Identifier: MIT
// Matrix tiles of int8 (Intel AMX): detection, and the configuration that the kernels share.
#pragma once
#include <cstdint>

namespace arenascope::cpu {

// True if the CPU and the kernel support int8 tiles and ARENASCOPE_SIMD permits them. The first call requests the tile
// registers for the process.
bool has_amx_int8();

// Palette 1 with 8 tiles: 0 to 3 are sums (`rows` × 16 of 32 bits), 4 and 5 rows of bytes (`rows` × 4·`quads`), 6 and 7
// weights (`quads` × 16 columns × 4 bytes).
struct alignas(64) AmxConfig {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64};
  uint8_t rows[16] = {};

  AmxConfig(int row_count, int quads) {
    for (int tile = 0; tile < 6; ++tile) rows[tile] = static_cast<uint8_t>(row_count);
    for (int tile = 4; tile < 6; ++tile) row_bytes[tile] = static_cast<uint16_t>(4 * quads);
    for (int tile = 6; tile < 8; ++tile) rows[tile] = static_cast<uint8_t>(quads), row_bytes[tile] = 64;
  }
};

}  // namespace arenascope::cpu
