// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace arenascope {

// x rounded up to a multiple of `unit`, which need not be a power of two. The caller ensures that x + unit does not
// overflow.
constexpr int64_t round_up(int64_t x, int64_t unit) { return (x + unit - 1) / unit * unit; }

}  // namespace arenascope
