// SPDX-License-Identifier: MIT
#include "engine/lesson/quantise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <arenascope/models/host_array.h>
#include <fmt/format.h>

namespace arenascope::lesson {
namespace {

using models::half_to_float;

// A scale as float16; one out of range becomes the largest, so that all values saturate.
uint16_t half(float scale) {
  constexpr float kLargestHalf = 65504;
  return models::float_to_half(std::clamp(scale, -kLargestHalf, kLargestHalf));
}

void put_half(std::byte*& to, uint16_t value) {
  std::memcpy(to, &value, sizeof value);
  to += sizeof value;
}

uint8_t level(float x, float most) { return static_cast<uint8_t>(std::clamp(std::round(x), 0.0f, most)); }

void q8_0(std::span<const float> x, std::byte* to) {
  float most = 0;
  for (float v : x) most = std::max(most, std::abs(v));
  const uint16_t scale = half(most / 127);
  const float d = half_to_float(scale);
  put_half(to, scale);
  for (float v : x)
    *to++ = static_cast<std::byte>(static_cast<int8_t>(d > 0 ? std::clamp(std::round(v / d), -127.0f, 127.0f) : 0));
}

void q4_0(std::span<const float> x, std::byte* to) {
  float most = 0;  // of the largest magnitude, with its sign
  for (float v : x)
    if (std::abs(v) > std::abs(most)) most = v;
  const uint16_t scale = half(most / -8);
  const float d = half_to_float(scale);
  put_half(to, scale);
  const auto value = [&](float v) { return d != 0 ? level(v / d + 8, 15) : uint8_t{8}; };
  for (size_t i = 0; i < x.size() / 2; ++i)
    *to++ = static_cast<std::byte>(value(x[i]) | value(x[i + x.size() / 2]) << 4);
}

void q4_k(std::span<const float> x, std::byte* to) {
  constexpr size_t kGroups = 8, kGroup = 32;
  std::array<float, kGroups> scale{}, least{};
  for (size_t g = 0; g < kGroups; ++g) {
    const auto [lo, hi] = std::ranges::minmax(x.subspan(g * kGroup, kGroup));
    least[g] = std::max(0.0f, -lo);
    scale[g] = (std::max(hi, 0.0f) + least[g]) / 15;
  }
  const uint16_t d = half(std::ranges::max(scale) / 63), m = half(std::ranges::max(least) / 63);
  std::array<uint8_t, kGroups> s{}, l{};
  for (size_t g = 0; g < kGroups; ++g) {
    s[g] = half_to_float(d) > 0 ? level(scale[g] / half_to_float(d), 63) : uint8_t{0};
    l[g] = half_to_float(m) > 0 ? level(least[g] / half_to_float(m), 63) : uint8_t{0};
  }
  put_half(to, d);
  put_half(to, m);
  std::array<uint8_t, 12> packed{};  // 6-bit fields: high bits of the last four groups above the first four
  for (size_t g = 0; g < 4; ++g) {
    packed[g] = static_cast<uint8_t>(s[g] | (s[g + 4] >> 4) << 6);
    packed[g + 4] = static_cast<uint8_t>(l[g] | (l[g + 4] >> 4) << 6);
    packed[g + 8] = static_cast<uint8_t>((s[g + 4] & 15) | (l[g + 4] & 15) << 4);
  }
  for (uint8_t byte : packed) *to++ = static_cast<std::byte>(byte);
  const auto value = [&](size_t g, size_t i) {
    const float step = half_to_float(d) * s[g];
    return step > 0 ? level((x[g * kGroup + i] + half_to_float(m) * l[g]) / step, 15) : uint8_t{0};
  };
  for (size_t g = 0; g < kGroups; g += 2)
    for (size_t i = 0; i < kGroup; ++i) *to++ = static_cast<std::byte>(value(g, i) | value(g + 1, i) << 4);
}

}  // namespace

Result<std::vector<std::byte>> quantise(DType type, std::span<const float> values) {
  const DTypeInfo& t = info(type);
  const auto block = static_cast<size_t>(t.block_elements);
  if (type != DType::F32 && type != DType::Q4_0 && type != DType::Q8_0 && type != DType::Q4_K)
    return Error{fmt::format("cannot quantise to type {}: expected F32, Q4_0, Q8_0 or Q4_K", t.name)};
  if (values.size() % block != 0)
    return Error{
        fmt::format("cannot quantise {} values: not a multiple of the block size of {}", values.size(), t.name)};
  std::vector<std::byte> out(values.size() / block * static_cast<size_t>(t.block_bytes));
  if (type == DType::F32) {
    std::memcpy(out.data(), values.data(), out.size());
    return out;
  }
  for (size_t i = 0; i < values.size() / block; ++i) {
    std::byte* to = out.data() + i * static_cast<size_t>(t.block_bytes);
    const auto quantised = type == DType::Q4_0 ? q4_0 : type == DType::Q8_0 ? q8_0 : q4_k;
    quantised(values.subspan(i * block, block), to);
  }
  return out;
}

}  // namespace arenascope::lesson
