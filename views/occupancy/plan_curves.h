// SPDX-License-Identifier: GPL-3.0-or-later
// Caches the live bytes of plans per step, so that an unchanged plan is not swept again for each update of a live run.
// One per view; thread-safe.
#pragma once
#include <views/common/sweep.h>

#include <memory>
#include <mutex>

namespace arenascope::views {

class PlanCurves {
 public:
  // In the coordinates of `axis`. Empty if stopped.
  std::vector<CurveSegment> of(const std::shared_ptr<const trace::PlanInfo>& plan, const AxisFrame& axis,
                               const std::stop_token& stop = {});
  int swept() const { return swept_; }  // number of sweeps so far, for tests

 private:
  static constexpr size_t kMaxEntries = 3;  // shown, previous, compared with
  struct Curve {
    std::shared_ptr<const trace::PlanInfo> plan;  // kept alive, so that no other plan can have the same address
    std::shared_ptr<const std::vector<CurveSegment>> levels;
  };
  std::mutex mutex_;
  std::vector<Curve> curves_;
  int swept_ = 0;
};

}  // namespace arenascope::views
