// SPDX-License-Identifier: GPL-3.0-or-later
// How many bytes plans have live, step by step: a plan that stays the same is not swept again for each picture of a run
// that goes on. A view has one; any thread.
#pragma once
#include <views/common/sweep.h>

#include <memory>
#include <mutex>

namespace arenascope::views {

class PlanCurves {
 public:
  // On the axis at hand. Empty where it was stopped.
  std::vector<Level> of(const std::shared_ptr<const trace::PlanInfo>& plan, const AxisFrame& axis,
                        const std::stop_token& stop = {});
  int swept() const { return swept_; }  // how often so far

 private:
  static constexpr size_t kMost = 3;  // shown, before, compared with
  struct Curve {
    std::shared_ptr<const trace::PlanInfo> plan;  // kept: another one is never at its address
    std::shared_ptr<const std::vector<Level>> levels;
  };
  std::mutex mutex_;
  std::vector<Curve> curves_;
  int swept_ = 0;
};

}  // namespace arenascope::views
