// SPDX-License-Identifier: MIT
#include <arenascope/base/printable.h>
#include <arenascope/planner/csv.h>
#include <fmt/format.h>

namespace arenascope::planner {

std::string plan_to_json(const Problem& p, const Plan& plan) {
  fmt::memory_buffer out;
  const auto add = [&]<class... T>(fmt::format_string<T...> format, T&&... args) {
    fmt::format_to(std::back_inserter(out), format, std::forward<T>(args)...);
  };
  add("{{\"format\":\"arenascope-plan\",\"version\":1,\"planner\":{},\"arena_bytes\":{},\"lower_bound_bytes\":{},"
      "\"optimal\":{},\"buffers\":[",
      json_string(plan.planner), plan.arena_bytes, plan.lower_bound, plan.optimal);
  for (size_t i = 0; i < p.size(); ++i) {
    const Interval& v = p.intervals[i];
    add("{}\n{{\"id\":{},\"lower\":{},\"upper\":{},\"size\":{},\"alignment\":{},\"offset\":{}", i > 0 ? "," : "",
        json_string(p.name_of(i)), v.lower, v.upper, v.size, p.alignment_of(i), plan.offsets[i]);
    if (!plan.blocks.empty()) {
      add(",\"block\":{},\"reuse_level\":{}", plan.blocks[i].value, plan.reuse_level[i]);
    }
    add("}}");
  }
  add("\n]}}\n");
  return fmt::to_string(out);
}

}  // namespace arenascope::planner
