// SPDX-License-Identifier: MIT
// Saturating arithmetic for times and sums read from untrusted files.
#pragma once
#include <cstdint>

namespace arenascope::trace {

// Adds and clamps to the range of int64_t.
constexpr int64_t add_saturated(int64_t a, int64_t b) {
  int64_t r = 0;
  if (!__builtin_add_overflow(a, b, &r)) return r;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

// True if differences of such times cannot overflow.
constexpr bool is_sensible_time(int64_t t) { return t > -(int64_t{1} << 61) && t < int64_t{1} << 61; }

}  // namespace arenascope::trace
