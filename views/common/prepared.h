// SPDX-License-Identifier: GPL-3.0-or-later
// The base of each view's prepared picture: data without widgets, made on a worker from a PrepareInput.
#pragma once
#include <views/common/axis_mapping.h>

#include <memory>

namespace arenascope::views {

struct Prepared {
  AxisRange covered{-1e300, 1e300};  // the range in which it is complete
  double per_pixel = 0;              // resolution in x; 0: exact
  AxisMode mode = AxisMode::Step;
  bool by_runs = false;  // as AxisFrame::runs
  virtual ~Prepared() = default;
};
using PreparedPtr = std::shared_ptr<const Prepared>;

}  // namespace arenascope::views
