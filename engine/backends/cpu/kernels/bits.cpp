// SPDX-License-Identifier: MIT
// Bit casts, and rounding to small floating-point formats.
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/row_io.h"

namespace arenascope::cpu {
namespace {

template <class T>
void copy_bits(const KernelArgs& args) {
  const TensorImpl& source = args.source(0);
  const LoopNest nest(args.node.sizes, {&args.node, &source});
  const int64_t step = nest.inner_stride(1);
  nest.rows(args.part(nest.count(), 64), std::numeric_limits<int64_t>::max(), [&](const int64_t* at, int64_t n) {
    std::byte* const to = args.node.data() + at[0] * static_cast<int64_t>(sizeof(T));
    const std::byte* const from = source.data() + at[1] * static_cast<int64_t>(sizeof(T));
    for (int64_t i = 0; i < n; ++i)
      std::memcpy(to + i * static_cast<int64_t>(sizeof(T)), from + i * step * static_cast<int64_t>(sizeof(T)),
                  sizeof(T));
  });
}

// A floating-point format: significand digits including the leading one, exponents of the smallest normal and of the
// largest value, and what follows the largest.
struct Format {
  int digits, least;
  double largest;
  bool infinity;  // the value after the largest is infinity, else NaN
  bool negative_zero;
};
Format format_of(SmallFloat format) {
  switch (format) {
    case SmallFloat::E4M3FN: return {4, -6, 448, false, true};
    case SmallFloat::E4M3FNUZ: return {4, -7, 240, false, false};
    case SmallFloat::E5M2: return {3, -14, 57344, true, true};
    case SmallFloat::E5M2FNUZ: return {3, -15, 57344, false, false};
    case SmallFloat::E8M0: return {1, -127, 0x1p127, false, false};
    case SmallFloat::E2M1: break;
  }
  return {2, 0, 6, false, true};
}

// Powers of two from 2^-127 on; zero and negative numbers are not representable.
double power_of_two(double x, const SmallFloatParams& p) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (std::isnan(x) || std::signbit(x)) return nan;
  if (x == 0) return 0x1p-127;
  if (std::isinf(x)) return p.saturate ? 0x1p127 : nan;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // in [1/2, 1)
  const bool exact = fraction == 0.5;
  int power = exponent - 1;
  if (!exact && (p.rounding == SmallRounding::Up || (p.rounding == SmallRounding::Nearest && fraction >= 0.75)))
    ++power;
  if (power > 127) return p.saturate ? 0x1p127 : nan;
  return std::ldexp(1.0, power < -127 ? -127 : power);
}

double rounded(double x, const SmallFloatParams& p) {
  if (p.format == SmallFloat::E8M0) return power_of_two(x, p);
  const Format f = format_of(p.format);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (std::isnan(x)) return p.format == SmallFloat::E2M1 ? -0.0 : nan;  // E2M1 has no NaN
  double magnitude = std::fabs(x);
  if (!std::isinf(magnitude) && magnitude != 0) {
    const int exponent = std::max(std::ilogb(magnitude), f.least) - (f.digits - 1);
    magnitude = std::ldexp(std::nearbyint(std::ldexp(magnitude, -exponent)), exponent);
  }
  if (magnitude > f.largest)
    magnitude = p.saturate || p.format == SmallFloat::E2M1 ? f.largest : f.infinity ? INFINITY : nan;
  if (magnitude == 0 && !f.negative_zero) return 0;
  return std::copysign(magnitude, x);
}

}  // namespace

Status bit_cast(const KernelArgs& args) {
  switch (element_bytes(args.node.dtype)) {
    case 1: copy_bits<uint8_t>(args); break;
    case 2: copy_bits<uint16_t>(args); break;
    case 4: copy_bits<uint32_t>(args); break;
    default: copy_bits<uint64_t>(args); break;
  }
  return {};
}

Status round_small(const KernelArgs& args) {
  const auto p = args.node.params.get<SmallFloatParams>();
  if (args.node.dtype == DType::F64)
    each_element<double>(args, [&](int64_t, double x) { return rounded(x, p); });
  else
    each_element<float>(args, [&](int64_t, float x) { return static_cast<float>(rounded(static_cast<double>(x), p)); });
  return {};
}

}  // namespace arenascope::cpu
