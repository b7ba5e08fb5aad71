// SPDX-License-Identifier: MIT
// The mask of DROPOUT: a function of training seed, training step, node and element index only. The backward pass, a
// rematerialised node and a resumed training therefore compute the same mask without storing it.
#pragma once
#include <arenascope/base/counted_random.h>

namespace arenascope {

class DropoutMask {
 public:
  // `ratio`: the fraction of elements that become 0, in [0, 1).
  ARENASCOPE_EVERYWHERE DropoutMask(float ratio, uint32_t sequence, int64_t seed, int64_t step)
      : random_(CountedRandom(static_cast<uint64_t>(seed), static_cast<uint64_t>(step)).next(), sequence),
        below_(below(ratio)) {}

  // The threshold for 53-bit random numbers: an element whose number is below it becomes 0.
  ARENASCOPE_EVERYWHERE static uint64_t below(float ratio) {
    return static_cast<uint64_t>(static_cast<double>(ratio) * 0x1p53);
  }
  // True if the element with this row-major index is kept.
  ARENASCOPE_EVERYWHERE bool keeps(uint64_t place) const { return random_.at(place) >> 11 >= below_; }
  // The factor for kept elements, which preserves the expected sum.
  ARENASCOPE_EVERYWHERE static float factor(float ratio) { return 1 / (1 - ratio); }

 private:
  CountedRandom random_;
  uint64_t below_;
};

}  // namespace arenascope
