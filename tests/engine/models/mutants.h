// SPDX-License-Identifier: MIT
// A seeded mutator of bytes: the same mutants in every run. ARENASCOPE_MUTANTS sets how many (default: 10,000).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace arenascope::models::test {

inline int mutant_count() {
  const char* specified = std::getenv("ARENASCOPE_MUTANTS");
  return specified ? std::max(1, std::atoi(specified)) : 10000;
}

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  size_t below(size_t n) { return n == 0 ? 0 : static_cast<size_t>(next() % n); }

  // One to six changes: bits flipped, bytes set to telling values, pieces cut, doubled or moved, the end cut off.
  std::vector<std::byte> mutate(std::vector<std::byte> bytes) {
    static constexpr unsigned char kTelling[] = {0x00, 0x01, 0x7F, 0x80, 0xFF, 0xFE, 0x08, 0x0A, 0x12, 0x22, 0x2A, '-'};
    for (size_t change = 1 + below(6); change > 0 && !bytes.empty(); --change) {
      const size_t at = below(bytes.size()), length = 1 + below(std::min<size_t>(bytes.size() - at, 16));
      const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 to = from + static_cast<std::ptrdiff_t>(length);
      switch (below(8)) {
        case 0:
        case 1: bytes[at] ^= static_cast<std::byte>(1u << below(8)); break;
        case 2:
        case 3: bytes[at] = static_cast<std::byte>(kTelling[below(sizeof kTelling)]); break;
        case 4: bytes.erase(from, to); break;
        case 5: {
          const std::vector<std::byte> piece(from, to);
          bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size() + 1)), piece.begin(),
                       piece.end());
          break;
        }
        case 6: std::fill(from, to, static_cast<std::byte>(kTelling[below(sizeof kTelling)])); break;
        default:
          if (below(8) == 0)
            bytes.resize(at);
          else
            bytes[at] = static_cast<std::byte>(next());
      }
    }
    return bytes;
  }

 private:
  uint64_t state_;
};

}  // namespace arenascope::models::test
