// SPDX-License-Identifier: MIT
#include <arenascope/train/schedule.h>

#include <algorithm>
#include <cmath>

namespace arenascope::train {

const char* name(ScheduleKind kind) {
  switch (kind) {
    case ScheduleKind::Constant: return "constant";
    case ScheduleKind::Cosine: return "cosine";
    case ScheduleKind::Linear: return "linear";
    case ScheduleKind::Steps: return "steps";
  }
  return "";
}

std::optional<ScheduleKind> parse_schedule(std::string_view text) {
  for (auto kind : {ScheduleKind::Constant, ScheduleKind::Cosine, ScheduleKind::Linear, ScheduleKind::Steps})
    if (text == name(kind)) return kind;
  return std::nullopt;
}

double Schedule::share(int64_t step) const {
  if (step < warmup) return static_cast<double>(step + 1) / static_cast<double>(warmup + 1);
  const int64_t falling = steps - warmup;
  const double done =
      falling > 1 ? std::min(static_cast<double>(step - warmup) / static_cast<double>(falling - 1), 1.0) : 0;
  switch (kind) {
    case ScheduleKind::Constant: return 1;
    case ScheduleKind::Cosine: return least + (1 - least) * 0.5 * (1 + std::cos(M_PI * done));
    case ScheduleKind::Linear: return 1 - (1 - least) * done;
    case ScheduleKind::Steps: return done < 0.5 ? 1 : done < 0.75 ? 0.1 : 0.01;
  }
  return 1;
}

}  // namespace arenascope::train
