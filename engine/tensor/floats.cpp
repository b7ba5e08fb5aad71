// SPDX-License-Identifier: MIT
#include <arenascope/tensor/floats.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace arenascope {
namespace {

float float_of_half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float size = exponent == 0   ? std::ldexp(static_cast<float>(fraction), -24)
                     : exponent < 31 ? std::ldexp(static_cast<float>(fraction + 1024), exponent - 25)
                     : fraction == 0 ? std::numeric_limits<float>::infinity()
                                     : std::numeric_limits<float>::quiet_NaN();
  return bits >> 15 ? -size : size;
}

template <class T, class Convert>
std::vector<float> each(std::span<const std::byte> bytes, Convert convert) {
  std::vector<float> result(bytes.size() / sizeof(T));
  for (size_t i = 0; i < result.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    result[i] = convert(value);
  }
  return result;
}

template <class T>
std::vector<float> plain(std::span<const std::byte> bytes) {
  return each<T>(bytes, [](T value) { return static_cast<float>(value); });
}

// True if no element has all exponent bits set.
template <class T>
bool no_full(std::span<const std::byte> bytes, T exponent) {
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + i, sizeof(T));
    if ((value & exponent) == exponent) return false;
  }
  return true;
}

// `infinity`: the bits of +Inf, which are those of the exponent.
template <class T>
NonFinite count_full(std::span<const std::byte> bytes, T infinity) {
  NonFinite out;
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + i, sizeof(T));
    if ((value & infinity) != infinity) continue;
    const bool negative = value >> (8 * sizeof(T) - 1) != 0;
    const auto magnitude = static_cast<T>(value << 1), full = static_cast<T>(infinity << 1);
    ++(magnitude != full ? out.nan : negative ? out.minus_inf : out.plus_inf);
  }
  return out;
}

}  // namespace

NonFinite count_non_finite(DType type, std::span<const std::byte> bytes) {
  switch (type) {
    case DType::F64: return count_full<uint64_t>(bytes, uint64_t{0x7FF} << 52);
    case DType::F32: return count_full<uint32_t>(bytes, 0x7F800000U);
    case DType::F16: return count_full<uint16_t>(bytes, 0x7C00);
    case DType::BF16: return count_full<uint16_t>(bytes, 0x7F80);
    default: return {};
  }
}

bool all_finite(DType type, std::span<const std::byte> bytes) {
  switch (type) {
    case DType::F64: return no_full<uint64_t>(bytes, uint64_t{0x7FF} << 52);
    case DType::F32: return no_full<uint32_t>(bytes, 0x7F800000U);
    case DType::F16: return no_full<uint16_t>(bytes, 0x7C00);
    case DType::BF16: return no_full<uint16_t>(bytes, 0x7F80);
    default: return true;
  }
}

std::optional<std::vector<float>> floats_of(DType type, std::span<const std::byte> bytes) {
  switch (type) {
    case DType::F32: return plain<float>(bytes);
    case DType::F64: return plain<double>(bytes);
    case DType::F16: return each<uint16_t>(bytes, float_of_half);
    case DType::BF16:
      return each<uint16_t>(bytes, [](uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); });
    case DType::I8: return plain<int8_t>(bytes);
    case DType::U8: return plain<uint8_t>(bytes);
    case DType::Bool: return each<uint8_t>(bytes, [](uint8_t value) { return value != 0 ? 1.0F : 0.0F; });
    case DType::I16: return plain<int16_t>(bytes);
    case DType::U16: return plain<uint16_t>(bytes);
    case DType::I32: return plain<int32_t>(bytes);
    case DType::U32: return plain<uint32_t>(bytes);
    case DType::I64: return plain<int64_t>(bytes);
    case DType::U64: return plain<uint64_t>(bytes);
    default: return std::nullopt;
  }
}

}  // namespace arenascope
