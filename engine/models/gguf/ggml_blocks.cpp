// SPDX-License-Identifier: MIT
#include "engine/models/gguf/ggml_blocks.h"
#include <arenascope/models/host_array.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/models/gguf/ggml_codebooks.h"

namespace arenascope::models::ggml {
namespace {

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
int u8(const std::byte* from) { return load<uint8_t>(from); }
float half(const std::byte* from) { return half_to_float(load<uint16_t>(from)); }

// Element i of a block of 32 nibbles: the low nibbles come first.
int nibble(const std::byte* codes, int i, int half_block = 16) {
  return i < half_block ? u8(codes + i) & 15 : u8(codes + i - half_block) >> 4;
}
// Nibble i of consecutive nibbles.
int packed_nibble(const std::byte* codes, int i) { return u8(codes + i / 2) >> (4 * (i % 2)) & 15; }

void put(std::byte* out, int i, float value) { std::memcpy(out + 4 * i, &value, 4); }
// `value` has at most eight significant bits.
void put_bf16(std::byte* out, int i, float value) {
  const auto bits = static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
  std::memcpy(out + 2 * i, &bits, 2);
}

// Levels of the 4-bit types (kvalues_iq4nl), and twice the values of E2M1 (kvalues_mxfp4).
constexpr int8_t kIq4Levels[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr int8_t kE2m1Levels[] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

// `value(i)` is the integer of element i, from -8 to 7; all elements have the same scale, a float16.
template <class Value>
void put_q4_0(std::byte* out, int elements, const std::byte* scale, Value&& value) {
  for (int first = 0; first < elements; first += 32, out += 18) {
    std::memcpy(out, scale, 2);
    for (int i = 0; i < 16; ++i)
      out[2 + i] = static_cast<std::byte>((value(first + i) + 8) | (value(first + i + 16) + 8) << 4);
  }
}

// Element i of base-3 digits, most significant first, in a byte that holds their value as a fraction of 256.
int ternary_digit(const std::byte* byte, int i) {
  constexpr int kPowers[] = {1, 3, 9, 27, 81};
  return (u8(byte) * kPowers[i] & 255) * 3 >> 8;
}

// N elements: a point of a codebook. Bit i of `signs` negates element i.
template <size_t N>
void put_point(std::byte* out, int first, const std::array<int8_t, N>& point, int signs, float scale) {
  for (size_t i = 0; i < N; ++i)
    put(out, first + static_cast<int>(i), scale * static_cast<float>(signs >> i & 1 ? -point[i] : point[i]));
}

// The signs of eight elements from seven bits: the number of negative elements is even.
int even_signs(uint32_t bits) { return static_cast<int>(bits | (std::popcount(bits) & 1) << 7); }

template <size_t N>
void put_shifted_point(std::byte* out, int first, const std::array<int8_t, N>& point, bool down, float scale) {
  for (size_t i = 0; i < N; ++i)
    put(out, first + static_cast<int>(i), scale * (static_cast<float>(point[i]) + (down ? -0.125F : 0.125F)));
}

}  // namespace

void iq4_nl_to_q8_0(const std::byte* block, std::byte* out) {
  std::memcpy(out, block, 2);
  for (int i = 0; i < 32; ++i) out[2 + i] = static_cast<std::byte>(kIq4Levels[nibble(block + 2, i)]);
}

void tq1_0_to_q4_0(const std::byte* block, std::byte* out) {
  put_q4_0(out, 256, block + 52, [&](int i) {
    if (i < 160) return ternary_digit(block + i % 32, i / 32) - 1;
    if (i < 240) return ternary_digit(block + 32 + i % 16, (i - 160) / 16) - 1;
    return ternary_digit(block + 48 + i % 4, (i - 240) / 4) - 1;
  });
}

void tq2_0_to_q4_0(const std::byte* block, std::byte* out) {
  put_q4_0(out, 256, block + 64,
           [&](int i) { return (u8(block + i / 128 * 32 + i % 32) >> (i / 32 % 4 * 2) & 3) - 1; });
}

void q1_0_to_q4_0(const std::byte* block, std::byte* out) {
  put_q4_0(out, 128, block, [&](int i) { return u8(block + 2 + i / 8) >> (i % 8) & 1 ? 1 : -1; });
}

void q2_0_to_q4_0(const std::byte* block, std::byte* out) {
  put_q4_0(out, 64, block, [&](int i) { return (u8(block + 2 + i / 4) >> (i % 4 * 2) & 3) - 1; });
}

// A scale of E8M0, halved because the levels are doubled: 2^(e - 128).
void mxfp4_to_bf16(const std::byte* block, std::byte* out) {
  const float scale = std::ldexp(1.0F, u8(block) - 128);
  for (int i = 0; i < 32; ++i) put_bf16(out, i, scale * static_cast<float>(kE2m1Levels[nibble(block + 1, i)]));
}

// Four scales of E4M3 without sign, halved, each of 16 elements.
void nvfp4_to_bf16(const std::byte* block, std::byte* out) {
  for (int group = 0; group < 4; ++group) {
    const int code = u8(block + group), exponent = code >> 3 & 15, mantissa = code & 7;
    float scale = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -10)
                                : std::ldexp(static_cast<float>(8 + mantissa), exponent - 11);
    if (code == 0x7F) scale = 0;  // NaN
    for (int i = 0; i < 16; ++i)
      put_bf16(out, 16 * group + i, scale * static_cast<float>(kE2m1Levels[nibble(block + 4 + 8 * group, i, 8)]));
  }
}

void iq4_xs_to_f32(const std::byte* block, std::byte* out) {
  const int high = load<uint16_t>(block + 2);
  for (int group = 0; group < 8; ++group) {
    const int scale = packed_nibble(block + 4, group) | (high >> (2 * group) & 3) << 4;
    const float by = half(block) * static_cast<float>(scale - 32);
    for (int i = 0; i < 32; ++i)
      put(out, 32 * group + i, by * static_cast<float>(kIq4Levels[nibble(block + 8 + 16 * group, i)]));
  }
}

void iq3_xxs_to_f32(const std::byte* block, std::byte* out) {
  const auto& points = iq3_xxs_points();
  for (int group = 0; group < 8; ++group) {
    const auto extra = load<uint32_t>(block + 66 + 4 * group);
    const float scale = half(block) * (0.5F + static_cast<float>(extra >> 28)) * 0.5F;
    for (int i = 0; i < 4; ++i) {
      const std::byte* codes = block + 2 + 8 * group + 2 * i;
      const int signs = even_signs(extra >> (7 * i) & 127);
      put_point(out, 32 * group + 8 * i, points[u8(codes)], signs, scale);
      put_point(out, 32 * group + 8 * i + 4, points[u8(codes + 1)], signs >> 4, scale);
    }
  }
}

void iq3_s_to_q6_k(const std::byte* block, std::byte* out) {
  const auto& points = iq3_s_points();
  std::memset(out, 0, 192);
  std::memcpy(out + 208, block, 2);
  for (int group = 0; group < 16; ++group)
    out[192 + group] = static_cast<std::byte>(1 + 2 * packed_nibble(block + 106, group / 2));
  for (int i = 0; i < 256; ++i) {
    const int high = u8(block + 66 + i / 32) >> (i / 4 % 8) & 1;
    const int value = points[u8(block + 2 + i / 4) | high << 8][i % 4];
    const int code = 32 + (u8(block + 74 + i / 8) >> (i % 8) & 1 ? -value : value);
    const int half_block = i / 128, position = i % 128;
    out[64 * half_block + position % 64] |= static_cast<std::byte>((code & 15) << (position / 64 * 4));
    out[128 + 32 * half_block + position % 32] |= static_cast<std::byte>(code >> 4 << (position / 32 * 2));
  }
}

void iq2_xxs_to_f32(const std::byte* block, std::byte* out) {
  const auto& points = iq2_xxs_points();
  for (int group = 0; group < 8; ++group) {
    const std::byte* codes = block + 2 + 8 * group;
    const auto extra = load<uint32_t>(codes + 4);
    const float scale = half(block) * (0.5F + static_cast<float>(extra >> 28)) * 0.25F;
    for (int i = 0; i < 4; ++i)
      put_point(out, 32 * group + 8 * i, points[u8(codes + i)], even_signs(extra >> (7 * i) & 127), scale);
  }
}

void iq2_xs_to_f32(const std::byte* block, std::byte* out) {
  const auto& points = iq2_xs_points();
  for (int i = 0; i < 32; ++i) {
    const uint32_t code = load<uint16_t>(block + 2 + 2 * i);
    const float scale = half(block) * (0.5F + static_cast<float>(packed_nibble(block + 66, i / 2))) * 0.25F;
    put_point(out, 8 * i, points[code & 511], even_signs(code >> 9), scale);
  }
}

void iq2_s_to_f32(const std::byte* block, std::byte* out) {
  const auto& points = iq2_s_points();
  for (int i = 0; i < 32; ++i) {
    const int code = u8(block + 2 + i) | (u8(block + 66 + i / 4) >> (i % 4 * 2) & 3) << 8;
    const float scale = half(block) * (0.5F + static_cast<float>(packed_nibble(block + 74, i / 2))) * 0.25F;
    put_point(out, 8 * i, points[code], u8(block + 34 + i), scale);
  }
}

void iq1_s_to_f32(const std::byte* block, std::byte* out) {
  const auto& points = iq1_points();
  for (int group = 0; group < 8; ++group) {
    const int extra = load<uint16_t>(block + 34 + 2 * group);
    const float scale = half(block) * static_cast<float>(2 * (extra >> 12 & 7) + 1);
    for (int i = 0; i < 4; ++i) {
      const int code = u8(block + 2 + 4 * group + i) | (extra >> (3 * i) & 7) << 8;
      put_shifted_point(out, 32 * group + 8 * i, points[code], extra >> 15, scale);
    }
  }
}

// The float16 scale is stored in the upper four bits of the four words that hold the groups' scales.
void iq1_m_to_f32(const std::byte* block, std::byte* out) {
  const auto& points = iq1_points();
  const auto word = [&](int i) { return load<uint16_t>(block + 48 + 2 * i); };
  uint16_t bits = 0;
  for (int i = 0; i < 4; ++i) bits = static_cast<uint16_t>(bits | word(i) >> 12 << (4 * i));
  for (int i = 0; i < 32; ++i) {
    const int group = i / 2, extra = packed_nibble(block + 32, i);
    const float scale = half_to_float(bits) * static_cast<float>(2 * (word(group / 4) >> (group % 4 * 3) & 7) + 1);
    put_shifted_point(out, 8 * i, points[u8(block + i) | (extra & 7) << 8], extra >> 3, scale);
  }
}

}  // namespace arenascope::models::ggml
