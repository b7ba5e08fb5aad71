// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checks/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <arenascope/models/host_array.h>

namespace arenascope::app {
namespace {

template <class T>
double load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

uint16_t load_bits(const std::byte* at) {
  uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}

double number(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::F32: return load<float>(at);
    case DType::F64: return load<double>(at);
    case DType::F16: return models::half_to_float(load_bits(at));
    case DType::BF16: return models::bfloat_to_float(load_bits(at));
    case DType::I8: return load<int8_t>(at);
    case DType::U8: return load<uint8_t>(at);
    case DType::I16: return load<int16_t>(at);
    case DType::U16: return load<uint16_t>(at);
    case DType::I32: return load<int32_t>(at);
    case DType::U32: return load<uint32_t>(at);
    case DType::I64: return load<int64_t>(at);
    case DType::U64: return load<uint64_t>(at);
    case DType::Bool: return load<uint8_t>(at) != 0;
    default: return 0;
  }
}

// Rounding error of the largest f32 value: an expected 0 is often no more exact than that.
constexpr double kHidden = 0x1p-24;

}  // namespace

Comparison compare(DType dtype, std::span<const std::byte> got, std::span<const std::byte> expected,
                   const Tolerance& tolerance) {
  Comparison out;
  if (got.size() != expected.size() || info(dtype).quantised) {
    out.passed = false;
    return out;
  }
  const bool floating = info(dtype).floating;
  const auto width = static_cast<size_t>(info(dtype).block_bytes);
  double largest = 0;
  for (size_t at = 0; at < expected.size(); at += width)
    if (const double b = number(dtype, expected.data() + at); std::isfinite(b))
      largest = std::max(largest, std::abs(b));
  const double least = std::max(tolerance.atol, tolerance.atol > 0 ? kHidden * largest : 0);
  for (size_t at = 0; at < got.size(); at += width) {
    const double a = number(dtype, got.data() + at), b = number(dtype, expected.data() + at);
    if (!floating && std::memcmp(got.data() + at, expected.data() + at, width) != 0 && dtype != DType::Bool)
      out.passed = false;
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double error = std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : INFINITY;
    out.max_abs_error = std::max(out.max_abs_error, error);
    if (!floating || (tolerance.relative_to_max <= 0 && !(error <= least + tolerance.rtol * std::abs(b))))
      out.passed = false;
  }
  out.max_rel_error = out.max_abs_error == 0 ? 0 : largest > 0 ? out.max_abs_error / largest : INFINITY;
  if (tolerance.relative_to_max > 0 && !(out.max_rel_error <= tolerance.relative_to_max)) out.passed = false;
  if (floating && tolerance.absolute > 0 && out.max_abs_error <= tolerance.absolute) out.passed = true;
  return out;
}

}  // namespace arenascope::app
