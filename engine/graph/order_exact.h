// SPDX-License-Identifier: MIT
// The searches over a window: one that proves, one that is quick.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/graph/order_window.h"

namespace arenascope {

// How much a search may still do. Work is counted in looks at a step, so that a search ends at the same place on every
// machine; the clock and the stop token end it early.
class SearchBudget {
 public:
  // Without `by_clock` it is the work alone that ends it, and the stop token.
  SearchBudget(double seconds, std::stop_token stop, bool by_clock = true);
  // Takes `looks` from the budget; false when it is used up.
  bool spend(int64_t looks);
  bool spent() const { return left_ <= 0; }
  // Lets a part of the search use at most `looks` of it: returns what is taken out until give_back().
  int64_t limit(int64_t looks);
  void give_back(int64_t looks) { left_ += ended_ ? 0 : looks; }

 private:
  int64_t left_;
  int64_t until_clock_ = 0;
  bool ended_ = false;
  std::chrono::steady_clock::time_point deadline_;
  std::stop_token stop_;
};

inline constexpr int32_t kLargestWindow = 1024;  // ops that both searches take

struct ExactResult {
  enum class Kind { Found, NoneBelow, GaveUp } kind = Kind::GaveUp;
  std::vector<int32_t> order;  // Found: local ops
  Bytes peak = 0;              // Found: the least possible, or `floor` if that is more
};

// The order of the window with the least peak, if that is less than `below`; peaks up to `floor` count as equal.
// A shortest-path search (least peak first) over the sets of ops that have run, each set once.
ExactResult exact_order(const OrderWindow& window, Bytes floor, Bytes below, SearchBudget& budget);

struct BeamOptions {
  size_t width = 32;
  uint32_t seed = 0;  // 0: by live bytes alone; others disturb the choice
};
// An order of the window with a peak less than `below`, or none that this beam finds.
std::optional<std::vector<int32_t>> beam_order(const OrderWindow& window, Bytes below, const BeamOptions& options,
                                               SearchBudget& budget);

}  // namespace arenascope
