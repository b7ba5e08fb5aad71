// SPDX-License-Identifier: MIT
// What measurements of every kind have in common.
#pragma once
#include <algorithm>
#include <cstddef>
#include <ctime>
#include <vector>

#include <arenascope/base/ids.h>

namespace arenascope {

// The upper one of two in the middle; there must be one at least.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// That all threads of this process were at work, so that other programs do not count.
inline Nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return Nanoseconds{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

inline double processor_seconds() { return static_cast<double>(processor_time()) * 1e-9; }

// Keeps a value alive, so that the loop around it is not optimised away.
template <class T>
void keep(T& value) {
  asm volatile("" : "+r"(value) : : "memory");
}

}  // namespace arenascope
