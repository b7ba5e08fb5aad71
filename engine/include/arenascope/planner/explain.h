// SPDX-License-Identifier: MIT
// Explanations of a plan for people.
#pragma once
#include <arenascope/planner/interval.h>
#include <arenascope/planner/plan.h>

namespace arenascope::planner {

// Explains why buffer a cannot be placed where buffer b is in this plan, or states that it can.
std::string explain_placement(const Problem& problem, const Plan& plan, size_t a, size_t b);

// The interval of this name (or "#index" for unnamed intervals). Error: not found.
Result<size_t> find_interval(const Problem& problem, std::string_view name);

// Buffers that are live at the peak, largest first.
struct Peak {
  int64_t step = 0;
  Bytes live_bytes = 0;
  std::vector<int32_t> buffers;
};
Peak find_peak(const Problem& problem);

// Bytes of the arena unused during [lower, upper) although a buffer is above them.
struct Hole {
  int64_t lower = 0, upper = 0;
  Bytes offset = 0, size = 0;
  int32_t above = -1;  // the lowest buffer over it, which could not sink into it
};
// The holes at one step, lowest first; lower and upper are that step and the next.
std::vector<Hole> holes_at(const Problem& problem, const Plan& plan, int64_t step);

}  // namespace arenascope::planner
