// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/quant/quant.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/backends/cpu/kernels/half.h"

namespace arenascope::cpu {
namespace {

using U8 = const uint8_t*;

float half_at(U8 p) {
  Half h;
  std::memcpy(&h, p, 2);
  return to_float(h);
}
uint32_t word_at(U8 p) {
  uint32_t w;
  std::memcpy(&w, p, 4);
  return w;
}

// 32 values: the low nibbles of 16 bytes, then the high ones, with a fifth bit each from `high`.
void nibbles(float* to, U8 q, uint32_t high, float scale, float shift) {
  for (int j = 0; j < 16; ++j) {
    to[j] = scale * static_cast<float>((q[j] & 15u) | (high >> j & 1u) << 4) + shift;
    to[j + 16] = scale * static_cast<float>((q[j] >> 4) | (high >> (j + 16) & 1u) << 4) + shift;
  }
}

void q4_0(U8 b, float* to) { nibbles(to, b + 2, 0, half_at(b), -8 * half_at(b)); }
void q4_1(U8 b, float* to) { nibbles(to, b + 4, 0, half_at(b), half_at(b + 2)); }
void q5_0(U8 b, float* to) { nibbles(to, b + 6, word_at(b + 2), half_at(b), -16 * half_at(b)); }
void q5_1(U8 b, float* to) { nibbles(to, b + 8, word_at(b + 4), half_at(b), half_at(b + 2)); }

void q8_0(U8 b, float* to) {
  const float scale = half_at(b);
  for (int j = 0; j < 32; ++j) to[j] = scale * static_cast<float>(static_cast<int8_t>(b[2 + j]));
}

// Sixteen groups of 16 two-bit values; each group has a four-bit scale and a four-bit minimum.
void q2_k(U8 b, float* to) {
  const float scale = half_at(b + 80), least = half_at(b + 82);
  for (int i = 0; i < 256; ++i) {
    const uint32_t group = b[i / 16], byte = b[16 + i / 128 * 32 + i % 32];
    const float q = static_cast<float>(byte >> (i % 128 / 32 * 2) & 3u);
    to[i] = scale * static_cast<float>(group & 15u) * q - least * static_cast<float>(group >> 4);
  }
}

// Sixteen groups of 16 three-bit values (two bits in one array, the third, inverted, in another), six-bit scales.
void q3_k(U8 b, float* to) {
  const U8 mask = b, low = b + 32, packed = b + 96;
  const float scale = half_at(b + 108);
  float scales[16];
  for (int g = 0; g < 16; ++g) {
    const uint32_t four = g < 8 ? packed[g] & 15u : packed[g - 8] >> 4;
    const uint32_t two = packed[8 + g % 4] >> (g / 4 * 2) & 3u;
    scales[g] = scale * static_cast<float>(static_cast<int>(four | two << 4) - 32);
  }
  for (int i = 0; i < 256; ++i) {
    const int bits = low[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 3;
    const int missing = mask[i % 32] >> (i / 32) & 1 ? 0 : 4;
    to[i] = scales[i / 16] * static_cast<float>(bits - missing);
  }
}

// The six-bit scale and minimum of group g of eight, packed into twelve bytes.
struct ScaleAndLeast {
  float scale, least;
};
ScaleAndLeast six_bits(U8 s, int g) {
  if (g < 4) return {static_cast<float>(s[g] & 63u), static_cast<float>(s[g + 4] & 63u)};
  return {static_cast<float>((s[g + 4] & 15u) | (s[g - 4] >> 6) << 4),
          static_cast<float>((s[g + 4] >> 4) | (s[g] >> 6) << 4)};
}

// Eight groups of 32 values; two groups share 32 bytes, one in the low nibbles, one in the high ones. The fifth bit of
// five-bit values is in `high`, one bit per group.
void groups_of_32(U8 scales, U8 high, U8 low, float scale, float least, float* to) {
  for (int g = 0; g < 8; ++g) {
    const ScaleAndLeast s = six_bits(scales, g);
    const float by = scale * s.scale, less = least * s.least;
    for (int i = 0; i < 32; ++i) {
      const uint32_t nibble = low[g / 2 * 32 + i] >> (g % 2 * 4) & 15u;
      const uint32_t fifth = high ? static_cast<uint32_t>(high[i] >> g & 1) << 4 : 0u;
      to[g * 32 + i] = by * static_cast<float>(nibble | fifth) - less;
    }
  }
}

void q4_k(U8 b, float* to) { groups_of_32(b + 4, nullptr, b + 16, half_at(b), half_at(b + 2), to); }
void q5_k(U8 b, float* to) { groups_of_32(b + 4, b + 16, b + 48, half_at(b), half_at(b + 2), to); }

// Sixteen groups of 16 six-bit values with eight-bit scales.
void q6_k(U8 b, float* to) {
  const U8 low = b, high = b + 128, scales = b + 192;
  const float scale = half_at(b + 208);
  for (int half = 0; half < 2; ++half)
    for (int quarter = 0; quarter < 4; ++quarter)
      for (int l = 0; l < 32; ++l) {
        const uint32_t four = low[half * 64 + quarter % 2 * 32 + l] >> (quarter / 2 * 4) & 15u;
        const uint32_t two = high[half * 32 + l] >> (quarter * 2) & 3u;
        const int i = half * 128 + quarter * 32 + l;
        to[i] = scale * static_cast<float>(static_cast<int8_t>(scales[i / 16])) *
                static_cast<float>(static_cast<int>(four | two << 4) - 32);
      }
}

}  // namespace

void dequantise(DType type, const std::byte* blocks, float* to, int64_t n) {
  void (*block)(U8, float*) = nullptr;
  switch (type) {
    case DType::Q4_0: block = q4_0; break;
    case DType::Q4_1: block = q4_1; break;
    case DType::Q5_0: block = q5_0; break;
    case DType::Q5_1: block = q5_1; break;
    case DType::Q8_0: block = q8_0; break;
    case DType::Q2_K: block = q2_k; break;
    case DType::Q3_K: block = q3_k; break;
    case DType::Q4_K: block = q4_k; break;
    case DType::Q5_K: block = q5_k; break;
    case DType::Q6_K: block = q6_k; break;
    default: return;
  }
  const DTypeInfo& t = info(type);
  U8 from = reinterpret_cast<U8>(blocks);
  for (int64_t i = 0; i < n; i += t.block_elements, from += t.block_bytes) block(from, to + i);
}

void dequantise_row(const TensorImpl& tensor, int64_t row, float* to) {
  int64_t offset = 0;
  for (int d = tensor.rank() - 2; d >= 0; --d) {
    offset += row % tensor.sizes[d] * tensor.strides[d];
    row /= tensor.sizes[d];
  }
  const DTypeInfo& t = info(tensor.dtype);
  dequantise(tensor.dtype, tensor.data() + offset / t.block_elements * t.block_bytes, to, tensor.sizes.back());
}

void quantise_q8_0(const float* values, std::byte* to, int64_t n) {
  for (int64_t begin = 0; begin < n; begin += 32, to += 34) {
    float most = 0;
    for (int64_t i = begin; i < begin + 32; ++i) most = std::max(most, std::abs(values[i]));
    const float scale = most / 127, by = scale > 0 ? 1 / scale : 0;
    const Half half = to_half(scale);
    std::memcpy(to, &half, 2);
    for (int64_t i = 0; i < 32; ++i)
      to[2 + i] = static_cast<std::byte>(static_cast<int8_t>(std::round(values[begin + i] * by)));
  }
}

}  // namespace arenascope::cpu
