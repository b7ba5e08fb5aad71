// SPDX-License-Identifier: MIT
// What measurements of every kind have in common.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace arenascope {

// The upper one of two in the middle; there must be one at least.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Keeps a value alive, so that the loop around it is not optimised away.
template <class T>
void keep(T& value) {
  asm volatile("" : "+r"(value) : : "memory");
}

}  // namespace arenascope
