// SPDX-License-Identifier: MIT
// Shared by all benchmarks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <ctime>
#include <vector>

#include <arenascope/base/ids.h>

namespace arenascope {

// The upper median. `values` must not be empty.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// CPU time of all threads of this process, so that other processes do not count.
inline Nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return Nanoseconds{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

inline double processor_seconds() { return static_cast<double>(processor_time()) * 1e-9; }

// Keeps a value alive, so that the compiler does not remove the loop that computes it.
template <class T>
void keep(T& value) {
  asm volatile("" : "+r"(value) : : "memory");
}

}  // namespace arenascope
