// SPDX-License-Identifier: MIT
// Searches over a window of an order: an exact search and a beam search.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/graph/order_window.h"

namespace arenascope {

// The remaining budget of a search. Work is counted in evaluated steps, so that a search ends at the same point on
// every machine; the time limit and the stop token can end it earlier.
class SearchBudget {
 public:
  // Without `by_clock` there is no time limit; only the work and the stop token end the search.
  SearchBudget(double seconds, std::stop_token stop, bool by_clock = true);
  // Spends `evaluations` of the budget; returns false when it is exhausted.
  bool spend(int64_t evaluations);
  bool spent() const { return left_ <= 0; }
  // Limits a part of the search to `evaluations`; returns the amount withheld, to be restored by give_back().
  int64_t limit(int64_t evaluations);
  void give_back(int64_t evaluations) { left_ += ended_ ? 0 : evaluations; }

 private:
  int64_t left_;
  int64_t until_clock_ = 0;
  bool ended_ = false;
  std::chrono::steady_clock::time_point deadline_;
  std::stop_token stop_;
};

inline constexpr int32_t kLargestWindow = 1024;  // maximum number of ops for both searches

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
  uint32_t seed = 0;  // 0: ranked by live bytes alone; other values perturb the ranking
};
// An order of the window with a peak less than `below`; none if this beam finds no such order.
std::optional<std::vector<int32_t>> beam_order(const OrderWindow& window, Bytes below, const BeamOptions& options,
                                               SearchBudget& budget);

}  // namespace arenascope
