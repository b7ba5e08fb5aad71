// SPDX-License-Identifier: MIT
// Counter-based random numbers (SplitMix64, Steele et al. 2014): a sequence depends on its seed and sequence number
// only, and each number on its index only, so that any number can be generated without the ones before it.
#pragma once
#include <cstdint>

#if defined(__CUDACC__)
#define ARENASCOPE_EVERYWHERE __host__ __device__
#else
#define ARENASCOPE_EVERYWHERE
#endif

namespace arenascope {

class CountedRandom {
 public:
  ARENASCOPE_EVERYWHERE CountedRandom(uint64_t seed, uint64_t sequence) : state_(mixed(seed * kStep + sequence + 1)) {}
  ARENASCOPE_EVERYWHERE uint64_t next() { return mixed(state_ += kStep); }
  // The result of the call of next() with this index, counted from 0.
  ARENASCOPE_EVERYWHERE uint64_t at(uint64_t place) const { return mixed(state_ + (place + 1) * kStep); }

  static constexpr uint64_t kStep = 0x9E3779B97F4A7C15u;  // between the states of consecutive numbers
  // The number of a state.
  ARENASCOPE_EVERYWHERE static constexpr uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

}  // namespace arenascope
