// SPDX-License-Identifier: MIT
// Which elements DROPOUT keeps: a function of the training's seed, its step, the node and the element's place alone. So the
// gradient has the same mask without keeping it, and a node that is computed again, or a training that is resumed, too.
#pragma once
#include <arenascope/base/counted_random.h>

namespace arenascope {

class DropoutMask {
 public:
  // `ratio` of all elements become 0, in [0, 1).
  ARENASCOPE_EVERYWHERE DropoutMask(float ratio, uint32_t sequence, int64_t seed, int64_t step)
      : random_(CountedRandom(static_cast<uint64_t>(seed), static_cast<uint64_t>(step)).next(), sequence),
        below_(below(ratio)) {}

  // Of 2^53: where a random number lies below, its element becomes 0.
  ARENASCOPE_EVERYWHERE static uint64_t below(float ratio) {
    return static_cast<uint64_t>(static_cast<double>(ratio) * 0x1p53);
  }
  // Of the element at a place counted in row-major order.
  ARENASCOPE_EVERYWHERE bool keeps(uint64_t place) const { return random_.at(place) >> 11 >= below_; }
  // What kept elements are multiplied by, so that their sum stays as large as it was, on average.
  ARENASCOPE_EVERYWHERE static float factor(float ratio) { return 1 / (1 - ratio); }

 private:
  CountedRandom random_;
  uint64_t below_;
};

}  // namespace arenascope
