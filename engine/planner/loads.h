// SPDX-License-Identifier: MIT
// Live bytes over time, and the largest load of any range of steps.
#pragma once
#include <arenascope/planner/clock.h>
#include "engine/planner/items.h"

namespace arenascope::planner {

class Loads {
 public:
  explicit Loads(const Items& items, const StopCheck& stop_check = {});
  // The largest load during the lifetime of the item.
  Bytes most(const Item& item) const;
  // The step of [lower, upper) with the least live bytes.
  int64_t min_load_step(int64_t lower, int64_t upper) const;
  Bytes peak_bytes() const { return peak_bytes_; }
  bool at_peak(const Item& v) const { return v.lower <= peak_step_ && peak_step_ < v.upper; }

 private:
  std::vector<int64_t> steps_;
  std::vector<Bytes> load_;              // from steps_[k] on
  std::vector<std::vector<Bytes>> max_;  // [k][b]: over the 2^k blocks of loads from the b-th on
  Bytes peak_bytes_ = 0;
  int64_t peak_step_ = 0;
};

}  // namespace arenascope::planner
