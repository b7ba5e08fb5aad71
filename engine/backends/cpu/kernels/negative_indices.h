// SPDX-License-Identifier: MIT
// Negative indices count from the end of an axis; many are normalised in one loop.
#pragma once
#include <cstdint>

namespace arenascope::cpu {

// Normalises negative indices. Returns whether all were in range; one that was not is unchanged or less than 0.
inline bool from_front(int64_t* index, int64_t n, int64_t size) {
  // Baseline SIMD can neither compare 64-bit integers nor shift their sign down, so the highest bit is the flag.
  const auto all = static_cast<uint64_t>(size);
  uint64_t beyond = 0;
  for (int64_t i = 0; i < n; ++i) {
    uint64_t at = static_cast<uint64_t>(index[i]);
    at += (0 - (at >> 63)) & all;
    beyond |= at | (all - 1 - at);
    index[i] = static_cast<int64_t>(at);
  }
  return beyond >> 63 == 0;
}

// The first index out of range: its position, and its original value.
struct OutsideIndex {
  int64_t number, index;
};
inline OutsideIndex first_outside(const int64_t* index, int64_t n, int64_t size) {
  int64_t i = 0;
  while (i + 1 < n && index[i] >= 0 && index[i] < size) ++i;
  return {i, index[i] < 0 ? index[i] - size : index[i]};
}

}  // namespace arenascope::cpu
