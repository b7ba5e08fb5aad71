// SPDX-License-Identifier: MIT
// Indices along an axis, which count from the end where they are negative: many are looked at in one loop.
#pragma once
#include <cstdint>

namespace arenascope::cpu {

// Counts from the front what counts from the end; whether all were inside. What was not is as it was, or less than 0.
inline bool from_front(int64_t* index, int64_t n, int64_t size) {
  uint64_t beyond = 0;
  for (int64_t i = 0; i < n; ++i) {
    index[i] += (index[i] >> 63) & size;
    beyond |= static_cast<uint64_t>(index[i] >= size) | (static_cast<uint64_t>(index[i]) >> 63);
  }
  return beyond == 0;
}

// The first of these that was not inside: its number, and what it was.
struct OutsideIndex {
  int64_t number, index;
};
inline OutsideIndex first_outside(const int64_t* index, int64_t n, int64_t size) {
  int64_t i = 0;
  while (i + 1 < n && index[i] >= 0 && index[i] < size) ++i;
  return {i, index[i] < 0 ? index[i] - size : index[i]};
}

}  // namespace arenascope::cpu
