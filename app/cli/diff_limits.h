// SPDX-License-Identifier: GPL-3.0-or-later
// Limits of growth for arenascope-cli diff: "peak+2%,arena+0,node-time+10%".
#pragma once
#include <string>
#include <vector>

#include <arenascope/base/result.h>
#include <arenascope/trace/difference.h>

namespace arenascope::cli {

struct GrowthLimit {
  trace::Metric metric;
  double amount = 0;  // bytes, nanoseconds or percent
  bool is_percent = false;
  std::string text;  // as given
  // True if the metric grew by more. False if it is unknown.
  bool exceeded_by(const trace::MetricChange& change) const;
};

// Errors: an unknown metric, or an amount without a number or with an unknown unit.
Result<std::vector<GrowthLimit>> parse_growth_limits(const std::string& text);

}  // namespace arenascope::cli
