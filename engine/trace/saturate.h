// SPDX-License-Identifier: MIT
// Sums of durations and bytes that stop at the largest number instead of overflowing.
#pragma once
#include <cstdint>

namespace arenascope::trace {

constexpr int64_t add_saturated(int64_t a, int64_t b) {
  int64_t r = 0;
  if (!__builtin_add_overflow(a, b, &r)) return r;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

}  // namespace arenascope::trace
