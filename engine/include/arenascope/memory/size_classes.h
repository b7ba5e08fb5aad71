// SPDX-License-Identifier: MIT
// Size classes that grow geometrically: 2^StepBits of them to each doubling, so that rounding a size up to its class
// adds less than one part in 2^StepBits (powers of two: up to the whole size again).
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace arenascope {

// Sizes are in units (of 64 bytes, say), above 0. Below 2^StepBits units each count is a class of its own.
template <unsigned StepBits>
struct SizeClasses {
  static constexpr uint64_t kSteps = uint64_t{1} << StepBits;

  // The class that holds sizes from its own up to the next one's (for filing what is there).
  static constexpr size_t floor(uint64_t units) {
    if (units < kSteps) return static_cast<size_t>(units);
    const unsigned shift = static_cast<unsigned>(std::bit_width(units)) - 1 - StepBits;
    return static_cast<size_t>((uint64_t{shift} << StepBits) + (units >> shift));
  }

  // The smallest size of a class that is at least `units` (for handing out).
  static constexpr uint64_t round_up(uint64_t units) {
    if (units < kSteps) return units;
    const unsigned shift = static_cast<unsigned>(std::bit_width(units)) - 1 - StepBits;
    const uint64_t mask = (uint64_t{1} << shift) - 1;
    return (units + mask) & ~mask;
  }

  // How many classes sizes up to `units` need.
  static constexpr size_t count(uint64_t units) { return floor(units) + 1; }
};

}  // namespace arenascope
