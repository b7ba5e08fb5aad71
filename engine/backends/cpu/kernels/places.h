// SPDX-License-Identifier: MIT
// Indices along an axis, which count from the end where they are negative: many are looked at in one loop.
#pragma once
#include <cstdint>

namespace arenascope::cpu {

// Counts from the front what counts from the end; whether all were inside. What was not is as it was, or less than 0.
inline bool from_front(int64_t* index, int64_t n, int64_t size) {
  // Of whole numbers of 64 bits the oldest vectors neither compare nor shift the sign down, so that the highest bit tells.
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
