// SPDX-License-Identifier: MIT
#include "engine/backends/reference/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace arenascope::reference {
namespace {

using Block = const uint8_t*;

template <class T>
T raw(const void* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31)
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

// A floating-point format of 16 bits: rounded to a multiple of the spacing at its magnitude.
uint16_t to_16_bits(double x, int fraction_bits, int bias) {
  const int exponent_bits = 15 - fraction_bits, special = (1 << exponent_bits) - 1;
  const auto sign = static_cast<uint16_t>(std::signbit(x) ? 0x8000 : 0);
  const double a = std::abs(x);
  if (std::isnan(x)) return static_cast<uint16_t>(sign | special << fraction_bits | 1 << (fraction_bits - 1));
  if (a == 0) return sign;
  const int exponent = std::isinf(a) ? special : std::max(std::ilogb(a), 1 - bias);
  double units = std::isinf(a) ? 0 : std::nearbyint(std::ldexp(a, fraction_bits - exponent));
  int biased = exponent + bias;
  if (units >= std::ldexp(1, fraction_bits + 1)) {
    units /= 2;
    ++biased;
  }
  if (std::isinf(a) || biased >= special) return static_cast<uint16_t>(sign | special << fraction_bits);
  if (units < std::ldexp(1, fraction_bits)) return static_cast<uint16_t>(sign | static_cast<int>(units));  // subnormal
  return static_cast<uint16_t>(sign | biased << fraction_bits | (static_cast<int>(units) - (1 << fraction_bits)));
}

// Value i of a block, dequantised according to the definition of its format.
double quantised_value(DType type, Block b, int i) {
  const auto half = [&](int at) { return half_value(raw<uint16_t>(b + at)); };
  const auto nibble = [&](int at) { return i < 16 ? b[at + i] & 15 : b[at + i - 16] >> 4; };
  const auto fifth = [&](int at) { return static_cast<int>(raw<uint32_t>(b + at) >> i & 1) * 16; };
  // Scale and minimum of group i / 32 of a 4- or 5-bit super block: six bits each in twelve bytes.
  const auto six = [&](bool minimum) {
    const Block s = b + 4;
    const int g = i / 32;
    if (g < 4) return s[g + (minimum ? 4 : 0)] & 63;
    const int low = minimum ? s[g + 4] >> 4 : s[g + 4] & 15;
    return low + 16 * (s[minimum ? g : g - 4] >> 6);
  };
  switch (type) {
    case DType::Q4_0: return half(0) * (nibble(2) - 8);
    case DType::Q4_1: return half(0) * nibble(4) + half(2);
    case DType::Q5_0: return half(0) * (nibble(6) + fifth(2) - 16);
    case DType::Q5_1: return half(0) * (nibble(8) + fifth(4)) + half(2);
    case DType::Q8_0: return half(0) * static_cast<int8_t>(b[2 + i]);
    case DType::Q2_K: {
      const int bits = b[16 + i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
      return half(80) * (b[i / 16] & 15) * bits - half(82) * (b[i / 16] >> 4);
    }
    case DType::Q3_K: {
      const int g = i / 16, bits = b[32 + i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
      const int low = g < 8 ? b[96 + g] & 15 : b[96 + g - 8] >> 4, high = b[104 + g % 4] >> (g / 4 * 2) & 3;
      return half(108) * (low + 16 * high - 32) * (bits - (b[i % 32] >> (i / 32) & 1 ? 0 : 4));
    }
    case DType::Q4_K:
      return half(0) * six(false) * (b[16 + i / 64 * 32 + i % 32] >> (i / 32 % 2 * 4) & 15) - half(2) * six(true);
    case DType::Q5_K: {
      const int q = (b[48 + i / 64 * 32 + i % 32] >> (i / 32 % 2 * 4) & 15) + 16 * (b[16 + i % 32] >> (i / 32) & 1);
      return half(0) * six(false) * q - half(2) * six(true);
    }
    case DType::Q6_K: {
      const int r = i % 128, low = b[i / 128 * 64 + r % 64] >> (r / 64 * 4) & 15,
                high = b[128 + i / 128 * 32 + r % 32] >> (r / 32 * 2) & 3;
      return half(208) * static_cast<int8_t>(b[192 + i / 16]) * (low + 16 * high - 32);
    }
    default: return 0;
  }
}

Real value_at(DType type, const std::byte* data, int64_t offset) {
  const DTypeInfo& t = info(type);
  const std::byte* p = data + offset / t.block_elements * t.block_bytes;
  switch (type) {
    case DType::F32: return static_cast<Real>(raw<float>(p));
    case DType::F16: return half_value(raw<uint16_t>(p));
    case DType::BF16: return static_cast<Real>(std::bit_cast<float>(static_cast<uint32_t>(raw<uint16_t>(p)) << 16));
    case DType::F64: return raw<double>(p);
    case DType::I8: return raw<int8_t>(p);
    case DType::U8: return raw<uint8_t>(p);
    case DType::I16: return raw<int16_t>(p);
    case DType::U16: return raw<uint16_t>(p);
    case DType::I32: return raw<int32_t>(p);
    case DType::U32: return raw<uint32_t>(p);
    case DType::I64: return static_cast<Real>(raw<int64_t>(p));
    case DType::U64: return static_cast<Real>(raw<uint64_t>(p));
    case DType::Bool: return raw<uint8_t>(p) != 0;
    default: return quantised_value(type, reinterpret_cast<Block>(p), static_cast<int>(offset % t.block_elements));
  }
}

template <class T>
void put(std::byte* p, T value) {
  std::memcpy(p, &value, sizeof value);
}

template <class T>
void put_integer(std::byte* p, Real x) {
  constexpr Real low = static_cast<Real>(std::numeric_limits<T>::min()),
                 high = static_cast<Real>(std::numeric_limits<T>::max());
  put<T>(p, std::isnan(x) ? T{0} : static_cast<T>(std::clamp(x, low, high)));
}

// The offset of element `i` in row-major order, in elements.
int64_t element_offset(const TensorImpl& tensor, int64_t i) {
  int64_t offset = 0;
  for (int d = tensor.rank() - 1; d >= 0; --d) {
    offset += i % tensor.sizes[d] * tensor.strides[d];
    i /= tensor.sizes[d];
  }
  return offset;
}

template <class V>
void read_into(const TensorImpl& tensor, std::vector<V>& to, Reading reading) {
  const int64_t count = tensor.element_count();
  to.resize(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const Real value = value_at(tensor.dtype, tensor.data(), element_offset(tensor, i));
    to[static_cast<size_t>(i)] = static_cast<V>(reading == Reading::Magnitudes ? std::abs(value) : value);
  }
}

}  // namespace

Array read(const TensorImpl& tensor, Reading reading) {
  Array a{tensor.sizes, {}};
  read_into(tensor, a.v, reading);
  return a;
}

std::vector<double> read_doubles(const TensorImpl& tensor, Reading reading) {
  std::vector<double> v;
  read_into(tensor, v, reading);
  return v;
}

void write(const TensorImpl& tensor, const std::vector<Real>& values) {
  const bool contiguous = tensor.contiguous();
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    std::byte* const p =
        tensor.data() + info(tensor.dtype).block_bytes * (contiguous ? at : element_offset(tensor, at));
    const Real x = values[i];
    switch (tensor.dtype) {
      case DType::F32: put(p, static_cast<float>(x)); break;
      case DType::F16: put(p, to_16_bits(static_cast<double>(x), 10, 15)); break;
      case DType::BF16: put(p, to_16_bits(static_cast<double>(x), 7, 127)); break;
      case DType::F64: put(p, static_cast<double>(x)); break;
      case DType::I8: put_integer<int8_t>(p, x); break;
      case DType::U8: put_integer<uint8_t>(p, x); break;
      case DType::I16: put_integer<int16_t>(p, x); break;
      case DType::U16: put_integer<uint16_t>(p, x); break;
      case DType::I32: put_integer<int32_t>(p, x); break;
      case DType::U32: put_integer<uint32_t>(p, x); break;
      case DType::I64: put_integer<int64_t>(p, x); break;
      case DType::U64: put_integer<uint64_t>(p, x); break;
      case DType::Bool: put(p, static_cast<uint8_t>(x != 0)); break;
      default: break;
    }
  }
}

Dims unravel(int64_t i, const Dims& sizes) {
  Dims index = sizes;
  for (int d = sizes.rank() - 1; d >= 0; --d) {
    index[d] = i % sizes[d];
    i /= sizes[d];
  }
  return index;
}

int64_t ravel(const Dims& index, const Dims& sizes) {
  int64_t i = 0;
  for (int d = 0; d < sizes.rank(); ++d) i = i * sizes[d] + index[d];
  return i;
}

Real broadcast_at(const Array& array, const Dims& index) {
  int64_t i = 0;
  const int shift = index.rank() - array.sizes.rank();
  for (int d = 0; d < array.sizes.rank(); ++d) i = i * array.sizes[d] + (array.sizes[d] == 1 ? 0 : index[d + shift]);
  return array[i];
}

}  // namespace arenascope::reference
