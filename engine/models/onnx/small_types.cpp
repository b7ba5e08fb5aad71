// SPDX-License-Identifier: MIT
#include "engine/models/onnx/small_types.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/models/onnx/onnx_ir.h"

namespace arenascope::models::ir {
namespace {

constexpr SmallType kTypes[] = {
    {17, DType::F32, 8, true, SmallFloat::E4M3FN},
    {18, DType::F32, 8, true, SmallFloat::E4M3FNUZ},
    {19, DType::F32, 8, true, SmallFloat::E5M2},
    {20, DType::F32, 8, true, SmallFloat::E5M2FNUZ},
    {21, DType::U8, 4, false, {}},
    {22, DType::I8, 4, false, {}},
    {23, DType::F32, 4, true, SmallFloat::E2M1},
    {24, DType::F32, 8, true, SmallFloat::E8M0},
    {25, DType::U8, 2, false, {}},
    {26, DType::I8, 2, false, {}},
};

// The number that a code means: sign, exponent, fraction.
float number_of(SmallFloat format, uint32_t code) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  if (format == SmallFloat::E8M0) return code == 255 ? kNan : std::ldexp(1.0f, static_cast<int>(code) - 127);
  const bool wide = format == SmallFloat::E5M2 || format == SmallFloat::E5M2FNUZ, tiny = format == SmallFloat::E2M1;
  const bool no_minus_zero = format == SmallFloat::E4M3FNUZ || format == SmallFloat::E5M2FNUZ;
  const int fraction_bits = tiny ? 1 : wide ? 2 : 3, exponent_bits = tiny ? 2 : wide ? 5 : 4;
  const int bias = (1 << (exponent_bits - 1)) - (no_minus_zero ? 0 : 1);
  const uint32_t sign = code >> (exponent_bits + fraction_bits) & 1u;
  const int exponent = static_cast<int>(code >> fraction_bits & ((1u << exponent_bits) - 1));
  const int fraction = static_cast<int>(code & ((1u << fraction_bits) - 1));
  if (no_minus_zero && sign == 1 && exponent == 0 && fraction == 0) return kNan;
  if (format == SmallFloat::E4M3FN && exponent == 15 && fraction == 7) return kNan;
  if (format == SmallFloat::E5M2 && exponent == 31) {
    const float infinity = std::numeric_limits<float>::infinity();
    return fraction != 0 ? kNan : sign ? -infinity : infinity;
  }
  const int significand = fraction + (exponent > 0 ? 1 << fraction_bits : 0);
  const float value = std::ldexp(static_cast<float>(significand), (exponent > 0 ? exponent : 1) - bias - fraction_bits);
  return sign ? -value : value;
}

}  // namespace

const SmallType* small_type(int32_t code) {
  for (const SmallType& type : kTypes)
    if (type.code == code) return &type;
  return nullptr;
}

int32_t remembered_type(int32_t code) { return code == kComplex64 || small_type(code) ? code : 0; }

std::optional<DType> stored_dtype(int32_t code) {
  if (code == kComplex64) return DType::I64;
  if (const SmallType* small = small_type(code)) return small->stored;
  return to_dtype(code);
}

int64_t packed_bytes(const SmallType& type, int64_t count) {
  const int in_byte = 8 / type.bits;
  return count / in_byte + (count % in_byte != 0);
}

std::vector<std::byte> unpack(const SmallType& type, std::span<const std::byte> packed, int64_t count) {
  const int64_t in_byte = 8 / type.bits;
  const auto size = static_cast<size_t>(info(type.stored).block_bytes);
  std::vector<std::byte> out(static_cast<size_t>(count) * size);
  for (int64_t i = 0; i < count; ++i) {
    const auto byte = static_cast<uint32_t>(packed[static_cast<size_t>(i / in_byte)]);
    const uint32_t code = byte >> (i % in_byte * type.bits) & ((1u << type.bits) - 1);
    std::byte* const to = out.data() + static_cast<size_t>(i) * size;
    if (type.floating) {
      const float value = number_of(type.format, code);
      std::memcpy(to, &value, sizeof value);
    } else {
      const bool negative = type.is_signed() && (code >> (type.bits - 1) & 1u) != 0;
      *to = static_cast<std::byte>(negative ? code | ~((1u << type.bits) - 1) : code);
    }
  }
  return out;
}

}  // namespace arenascope::models::ir
