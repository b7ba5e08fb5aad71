// SPDX-License-Identifier: MIT
// Geometric size classes: 2^StepBits classes per power of two, so that rounding a size up to its class adds less than
// 1/2^StepBits of it.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace arenascope {

// Sizes are above 0, in units of, for example, 64 bytes. Below 2^StepBits units each size is a class of its own.
template <unsigned StepBits>
struct SizeClasses {
  static constexpr uint64_t kSteps = uint64_t{1} << StepBits;

  // The largest class whose size is at most `units` (for filing free blocks).
  static constexpr size_t floor(uint64_t units) {
    if (units < kSteps) return static_cast<size_t>(units);
    const unsigned shift = static_cast<unsigned>(std::bit_width(units)) - 1 - StepBits;
    return static_cast<size_t>((uint64_t{shift} << StepBits) + (units >> shift));
  }

  // The smallest class size that is at least `units` (for allocations).
  static constexpr uint64_t round_up(uint64_t units) {
    if (units < kSteps) return units;
    const unsigned shift = static_cast<unsigned>(std::bit_width(units)) - 1 - StepBits;
    const uint64_t mask = (uint64_t{1} << shift) - 1;
    return (units + mask) & ~mask;
  }

  // Number of classes for sizes up to `units`.
  static constexpr size_t count(uint64_t units) { return floor(units) + 1; }
};

}  // namespace arenascope
