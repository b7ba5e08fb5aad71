// SPDX-License-Identifier: MIT
// Integers as English text with separators.
#pragma once
#include <cstdint>
#include <string>

namespace arenascope {

// "12,345", "-1,000".
inline std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

}  // namespace arenascope
