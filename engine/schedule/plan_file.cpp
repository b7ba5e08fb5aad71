// SPDX-License-Identifier: MIT
#include <arenascope/schedule/plan_file.h>

#include <arenascope/planner/csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace arenascope {

std::string plan_file(const trace::PlanInfo& plan, const trace::GraphInfo* graph, PlanFormat format) {
  planner::Problem problem;
  planner::Plan answer;
  problem.alignment = std::max<Bytes>(plan.alignment, 1);
  answer.planner = plan.planner;
  answer.arena_bytes = plan.arena_bytes;
  answer.lower_bound = plan.lower_bound_bytes;
  answer.optimal = plan.arena_bytes == plan.lower_bound_bytes;
  std::set<std::string> used;
  const bool blocks =
      std::all_of(plan.slices.begin(), plan.slices.end(), [](const auto& s) { return s.block.valid(); });
  const bool csv = format == PlanFormat::Csv;
  for (const trace::SliceInfo& s : plan.slices) {
    planner::Interval interval;
    interval.lower = s.first.value;
    interval.upper = s.last.value;
    interval.size = s.size;
    // A tensor aliased into another live tensor (an input of a concatenation, an in-place result) would overlap it. In
    // the CSV the shared time belongs to the larger or the later one.
    for (const trace::SliceInfo& other : plan.slices) {
      if (!csv || &other == &s || other.first >= s.last || s.first >= other.last) continue;
      const bool inside = s.offset >= other.offset && s.offset + s.size <= other.offset + other.size;
      const bool around = other.offset >= s.offset && other.offset + other.size <= s.offset + s.size;
      if (inside && s.first < other.first)
        interval.upper = std::min<int64_t>(interval.upper, other.first.value);
      else if (inside && (!around || (s.first == other.first && &s > &other)))
        interval.lower = std::max<int64_t>(interval.lower, other.last.value);
    }
    if (interval.lower >= interval.upper) continue;
    problem.intervals.push_back(interval);
    answer.offsets.push_back(s.offset);
    if (blocks) {
      answer.blocks.push_back(s.block);
      answer.reuse_level.push_back(static_cast<uint8_t>(std::clamp(s.level, 0, 255)));
    }
    std::string name;
    if (graph != nullptr) {
      const auto& list = s.tensor.is_leaf() ? graph->leafs : graph->nodes;
      if (s.tensor.index() < list.size()) name = list[s.tensor.index()].name;
    }
    // Appends a number if the name is not unique; a tensor that is split in two has two lines.
    std::string id = name.empty() ? fmt::format("#{}", s.tensor.index()) : name;
    for (int n = 2; used.count(id) > 0; ++n)
      id = n > 2 ? fmt::format("{}#{}.{}", name, s.tensor.index(), n) : fmt::format("{}#{}", name, s.tensor.index());
    used.insert(id);
    problem.ids.push_back(std::move(id));
  }
  return csv ? planner::write_csv(problem, &answer) : planner::plan_to_json(problem, answer);
}

}  // namespace arenascope
