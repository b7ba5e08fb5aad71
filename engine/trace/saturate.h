// SPDX-License-Identifier: MIT
// Times and sums that cannot overflow, whatever a file says.
#pragma once
#include <cstdint>

namespace arenascope::trace {

// Stops at the largest or smallest number.
constexpr int64_t add_saturated(int64_t a, int64_t b) {
  int64_t r = 0;
  if (!__builtin_add_overflow(a, b, &r)) return r;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

// Whether a time is such that the difference of two of them fits.
constexpr bool is_sensible_time(int64_t t) { return t > -(int64_t{1} << 61) && t < int64_t{1} << 61; }

}  // namespace arenascope::trace
