// SPDX-License-Identifier: MIT
// Single values of block-quantised formats.
#pragma once
#include "engine/backends/cuda/kernels/numbers.h"

namespace arenascope::cuda {

ARENASCOPE_DEVICE int block_elements(DType type) { return type >= DType::Q2_K ? 256 : type >= DType::Q4_0 ? 32 : 1; }
ARENASCOPE_DEVICE int block_bytes(DType type) {
  switch (type) {
    case DType::Q4_0: return 18;
    case DType::Q4_1: return 20;
    case DType::Q5_0: return 22;
    case DType::Q5_1: return 24;
    case DType::Q8_0: return 34;
    case DType::Q2_K: return 84;
    case DType::Q3_K: return 110;
    case DType::Q4_K: return 144;
    case DType::Q5_K: return 176;
    case DType::Q6_K: return 210;
    default: return bytes_of(type);
  }
}
ARENASCOPE_DEVICE bool is_quantised(DType type) { return type >= DType::Q4_0; }

// Every block starts at an even address; its scales are at even offsets.
ARENASCOPE_DEVICE float scale_at(const uint8_t* b, int at) { return half_to_float(load<uint16_t>(b + at)); }

// The six-bit scale, or minimum, of group g of eight.
ARENASCOPE_DEVICE float six_bits(const uint8_t* s, int g, bool minimum) {
  if (g < 4) return static_cast<float>(s[g + (minimum ? 4 : 0)] & 63);
  const int four = minimum ? s[g + 4] >> 4 : s[g + 4] & 15;
  return static_cast<float>(four | (s[minimum ? g : g - 4] >> 6) << 4);
}

ARENASCOPE_DEVICE float quantised_value(DType type, const uint8_t* b, int i) {
  switch (type) {
    case DType::Q4_0: {
      const int q = i < 16 ? b[2 + i] & 15 : b[2 + i - 16] >> 4;
      return scale_at(b, 0) * static_cast<float>(q - 8);
    }
    case DType::Q4_1: {
      const int q = i < 16 ? b[4 + i] & 15 : b[4 + i - 16] >> 4;
      return scale_at(b, 0) * static_cast<float>(q) + scale_at(b, 2);
    }
    case DType::Q5_0: {
      const int q = (i < 16 ? b[6 + i] & 15 : b[6 + i - 16] >> 4) | (b[2 + i / 8] >> (i % 8) & 1) << 4;
      return scale_at(b, 0) * static_cast<float>(q - 16);
    }
    case DType::Q5_1: {
      const int q = (i < 16 ? b[8 + i] & 15 : b[8 + i - 16] >> 4) | (b[4 + i / 8] >> (i % 8) & 1) << 4;
      return scale_at(b, 0) * static_cast<float>(q) + scale_at(b, 2);
    }
    case DType::Q8_0: return scale_at(b, 0) * static_cast<float>(static_cast<int8_t>(b[2 + i]));
    case DType::Q2_K: {
      const int q = b[16 + i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3, group = b[i / 16];
      return scale_at(b, 80) * static_cast<float>((group & 15) * q) - scale_at(b, 82) * static_cast<float>(group >> 4);
    }
    case DType::Q3_K: {
      const int g = i / 16, four = g < 8 ? b[96 + g] & 15 : b[88 + g] >> 4, two = b[104 + g % 4] >> (g / 4 * 2) & 3;
      const int q = (b[32 + i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3) - (b[i % 32] >> (i / 32) & 1 ? 0 : 4);
      return scale_at(b, 108) * static_cast<float>(((four | two << 4) - 32) * q);
    }
    case DType::Q4_K: {
      const int g = i / 32, q = b[16 + i / 64 * 32 + i % 32] >> (g % 2 * 4) & 15;
      return scale_at(b, 0) * six_bits(b + 4, g, false) * static_cast<float>(q) -
             scale_at(b, 2) * six_bits(b + 4, g, true);
    }
    case DType::Q5_K: {
      const int g = i / 32, q = (b[48 + i / 64 * 32 + i % 32] >> (g % 2 * 4) & 15) | (b[16 + i % 32] >> g & 1) << 4;
      return scale_at(b, 0) * six_bits(b + 4, g, false) * static_cast<float>(q) -
             scale_at(b, 2) * six_bits(b + 4, g, true);
    }
    case DType::Q6_K: {
      const int r = i % 128, four = b[i / 128 * 64 + r % 64] >> (r / 64 * 4) & 15,
                two = b[128 + i / 128 * 32 + r % 32] >> (r / 32 * 2) & 3;
      return scale_at(b, 208) * static_cast<float>(static_cast<int8_t>(b[192 + i / 16]) * ((four | two << 4) - 32));
    }
    default: return 0;
  }
}

// Element `i` of an array of any type; rows of a quantised one are whole blocks.
template <class N>
ARENASCOPE_DEVICE N any(DType type, const char* base, int64_t i) {
  if (!is_quantised(type)) return get<N>(type, base, i);
  const int elements = block_elements(type);
  return static_cast<N>(quantised_value(type, reinterpret_cast<const uint8_t*>(base) + i / elements * block_bytes(type),
                                        static_cast<int>(i % elements)));
}

}  // namespace arenascope::cuda
