// SPDX-License-Identifier: MIT
// Seeded damage to a file's bytes: flips, cuts, repeats, swaps and numbers at their limits.
#pragma once
#include <random>
#include <string>

namespace arenascope::test {

inline std::string mutate(const std::string& original, std::mt19937_64& random) {
  std::string bytes = original;
  const auto below = [&](size_t n) { return n == 0 ? 0 : static_cast<size_t>(random() % n); };
  for (size_t changes = 1 + below(4); changes > 0; --changes) {
    if (bytes.empty()) return bytes;
    const size_t at = below(bytes.size());
    switch (below(8)) {
      case 0: bytes[at] = static_cast<char>(random()); break;
      case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8))); break;
      case 2: bytes.resize(at); break;
      case 3: bytes.erase(at, 1 + below(16)); break;
      case 4: bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(64))); break;
      case 5: {
        static constexpr unsigned char kEdges[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
        for (size_t i = at; i < std::min(at + 1 + below(10), bytes.size()); ++i) {
          bytes[i] = static_cast<char>(kEdges[below(5)]);
        }
        break;
      }
      case 6: std::swap(bytes[at], bytes[below(bytes.size())]); break;
      default: bytes[at] = static_cast<char>(bytes[at] + (random() % 2 == 0 ? 1 : -1));
    }
  }
  return bytes;
}

}  // namespace arenascope::test
