// SPDX-License-Identifier: MIT
// Random numbers of a counter (SplitMix64, Steele 2014): a sequence depends on its seed and number alone, not on what
// was drawn before.
#pragma once
#include <cstdint>

namespace arenascope::train {

class CountedRandom {
 public:
  CountedRandom(uint64_t seed, uint64_t sequence) : state_(mixed(seed * kStep + sequence + 1)) {}
  uint64_t next() { return mixed(state_ += kStep); }

 private:
  static constexpr uint64_t kStep = 0x9E3779B97F4A7C15u;
  static uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

}  // namespace arenascope::train
