// SPDX-License-Identifier: MIT
#include <arenascope/models/host_array.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace arenascope::models {

float half_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 31u, mantissa = bits & 0x3FFu;
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(mantissa), -24);
    return sign ? -value : value;
  }
  const uint32_t wide = exponent == 31 ? 255u : exponent + 112u;
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7E00u);
  if (magnitude == 0) return sign;
  if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7C00u);
  int exponent = 0;
  (void)std::frexp(magnitude, &exponent);
  const int unit = std::max(exponent - 11, -24);  // the exponent of the last place that is kept
  const auto scaled = static_cast<uint32_t>(std::nearbyint(std::ldexp(static_cast<double>(magnitude), -unit)));
  // A scaled mantissa of 2048 carries into the exponent by itself.
  const uint32_t base = unit == -24 ? 0u : static_cast<uint32_t>(unit + 24) << 10;
  return static_cast<uint16_t>(sign | (base + scaled));
}

float bfloat_to_float(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t float_to_bfloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

namespace {

double rounded(DType dtype, double value) {
  switch (dtype) {
    case DType::F32: return static_cast<double>(static_cast<float>(value));
    case DType::F16: return static_cast<double>(half_to_float(float_to_half(static_cast<float>(value))));
    case DType::BF16: return static_cast<double>(bfloat_to_float(float_to_bfloat(static_cast<float>(value))));
    default: return value;
  }
}

int64_t wrapped(DType dtype, int64_t value) {
  switch (dtype) {
    case DType::I8: return static_cast<int8_t>(value);
    case DType::U8: return static_cast<uint8_t>(value);
    case DType::I16: return static_cast<int16_t>(value);
    case DType::U16: return static_cast<uint16_t>(value);
    case DType::I32: return static_cast<int32_t>(value);
    case DType::U32: return static_cast<uint32_t>(value);
    case DType::Bool: return value != 0;
    default: return value;
  }
}

int64_t truncated(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 9.2233720368547748e18) return std::numeric_limits<int64_t>::max();
  if (value <= -9.2233720368547758e18) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

template <class T>
T load(const std::byte* bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::byte* bytes, size_t i, T value) {
  std::memcpy(bytes + i * sizeof(T), &value, sizeof(T));
}

}  // namespace

int64_t HostArray::integer(int64_t i) const {
  const auto at = static_cast<size_t>(i);
  return floating() ? truncated(floats[at]) : ints[at];
}

void HostArray::set(int64_t i, double value) {
  const auto at = static_cast<size_t>(i);
  if (floating())
    floats[at] = rounded(dtype, value);
  else
    ints[at] = dtype == DType::Bool ? value != 0 : wrapped(dtype, truncated(value));
}

void HostArray::set_integer(int64_t i, int64_t value) {
  const auto at = static_cast<size_t>(i);
  if (floating())
    floats[at] = rounded(dtype, static_cast<double>(value));
  else
    ints[at] = wrapped(dtype, value);
}

HostArray HostArray::make(DType dtype, const Dims& sizes) {
  HostArray out{dtype, sizes, {}, {}};
  const auto n = static_cast<size_t>(element_count(sizes));
  if (out.floating())
    out.floats.resize(n);
  else
    out.ints.resize(n);
  return out;
}

HostArray HostArray::of(std::vector<int64_t> values) {
  return {DType::I64, {static_cast<int64_t>(values.size())}, std::move(values), {}};
}

HostArray HostArray::scalar(int64_t value, DType dtype) {
  HostArray out = make(dtype, {});
  out.set_integer(0, value);
  return out;
}

HostArray HostArray::scalar_f32(double value) {
  HostArray out = make(DType::F32, {});
  out.set(0, value);
  return out;
}

HostArray HostArray::from_bytes(DType dtype, const Dims& sizes, const std::byte* bytes) {
  HostArray out = make(dtype, sizes);
  for (size_t i = 0; i < out.floats.size(); ++i) {
    switch (dtype) {
      case DType::F32: out.floats[i] = static_cast<double>(load<float>(bytes, i)); break;
      case DType::F64: out.floats[i] = load<double>(bytes, i); break;
      case DType::F16: out.floats[i] = static_cast<double>(half_to_float(load<uint16_t>(bytes, i))); break;
      default: out.floats[i] = static_cast<double>(bfloat_to_float(load<uint16_t>(bytes, i))); break;
    }
  }
  for (size_t i = 0; i < out.ints.size(); ++i) {
    switch (dtype) {
      case DType::I8: out.ints[i] = load<int8_t>(bytes, i); break;
      case DType::U8: out.ints[i] = load<uint8_t>(bytes, i); break;
      case DType::I16: out.ints[i] = load<int16_t>(bytes, i); break;
      case DType::U16: out.ints[i] = load<uint16_t>(bytes, i); break;
      case DType::I32: out.ints[i] = load<int32_t>(bytes, i); break;
      case DType::U32: out.ints[i] = load<uint32_t>(bytes, i); break;
      case DType::Bool: out.ints[i] = load<uint8_t>(bytes, i) != 0; break;
      default: out.ints[i] = load<int64_t>(bytes, i); break;
    }
  }
  return out;
}

void HostArray::to_bytes(std::byte* out) const {
  for (size_t i = 0; i < floats.size(); ++i) {
    switch (dtype) {
      case DType::F32: store(out, i, static_cast<float>(floats[i])); break;
      case DType::F64: store(out, i, floats[i]); break;
      case DType::F16: store(out, i, float_to_half(static_cast<float>(floats[i]))); break;
      default: store(out, i, float_to_bfloat(static_cast<float>(floats[i]))); break;
    }
  }
  for (size_t i = 0; i < ints.size(); ++i) {
    switch (element_bytes(dtype)) {
      case 1: store(out, i, static_cast<uint8_t>(ints[i])); break;
      case 2: store(out, i, static_cast<uint16_t>(ints[i])); break;
      case 4: store(out, i, static_cast<uint32_t>(ints[i])); break;
      default: store(out, i, ints[i]); break;
    }
  }
}

std::vector<int64_t> broadcast_index(const Dims& from, const Dims& to) {
  const int64_t n = element_count(to);
  std::vector<int64_t> index(static_cast<size_t>(n));
  const Dims strides = contiguous_strides(from);
  Dims at = Dims::filled(to.rank(), 0);
  const int skip = to.rank() - from.rank();
  for (int64_t i = 0; i < n; ++i) {
    int64_t where = 0;
    for (int d = 0; d < from.rank(); ++d)
      if (from[d] != 1) where += at[d + skip] * strides[d];
    index[static_cast<size_t>(i)] = where;
    for (int d = to.rank() - 1; d >= 0 && ++at[d] == to[d]; --d) at[d] = 0;
  }
  return index;
}

}  // namespace arenascope::models
