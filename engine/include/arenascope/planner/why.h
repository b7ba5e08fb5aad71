// SPDX-License-Identifier: MIT
// Questions that a person asks about a plan, answered in a sentence.
#pragma once
#include <arenascope/planner/interval.h>
#include <arenascope/planner/plan.h>

namespace arenascope::planner {

// Why buffer a could not lie where buffer b lies in this plan, or that it could.
std::string why_not_there(const Problem& problem, const Plan& plan, size_t a, size_t b);

// The interval of this name (or "#index" where there are no names). Error: there is none.
Result<size_t> find_interval(const Problem& problem, std::string_view name);

// What is alive at the step where the live bytes are largest, largest buffer first.
struct Peak {
  int64_t step = 0;
  Bytes live_bytes = 0;
  std::vector<int32_t> buffers;
};
Peak find_peak(const Problem& problem);

// Bytes of the arena unused during [lower, upper) although something lies above them.
struct Hole {
  int64_t lower = 0, upper = 0;
  Bytes offset = 0, size = 0;
  int32_t above = -1;  // the lowest buffer over it, which could not sink into it
};
// The holes at one step, lowest first; lower and upper are that step and the next.
std::vector<Hole> holes_at(const Problem& problem, const Plan& plan, int64_t step);

}  // namespace arenascope::planner
