// SPDX-License-Identifier: MIT
// Sizes as English text in binary units. The window formats the same value and unit for the user's language.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>

#include <arenascope/base/ids.h>

namespace arenascope {

struct ScaledBytes {
  double value;
  const char* unit;  // "B", "KiB", …
};

// In the largest unit in which the rounded value is at least 1; 1024 of a unit are 1 of the next one.
inline ScaledBytes scaled_bytes(Bytes bytes) {
  static constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; std::abs(value) >= 1023.5 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return {value, kUnits[unit]};
}

// Three significant digits: "512 B", "1.50 KiB", "41.2 MiB", "125 GiB".
inline std::string format_bytes(Bytes bytes) {
  const ScaledBytes scaled = scaled_bytes(bytes);
  const double size = std::abs(scaled.value);
  const int decimals = size == std::abs(static_cast<double>(bytes)) || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  std::array<char, 32> text;
  const int length = std::snprintf(text.data(), text.size(), "%.*f %s", decimals, scaled.value, scaled.unit);
  return {text.data(), static_cast<size_t>(length)};
}

}  // namespace arenascope
