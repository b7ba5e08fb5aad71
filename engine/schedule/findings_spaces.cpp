// SPDX-License-Identifier: MIT
#include "engine/schedule/findings_spaces.h"

#include <algorithm>
#include <map>

#include <arenascope/planner/check.h>
#include <arenascope/planner/planner.h>
#include <arenascope/trace/space_use.h>

namespace arenascope {
namespace {

using Kind = Finding::Kind;
using Slices = std::vector<trace::SpaceAllocation>;

constexpr size_t kSlicesShown = 8;          // slices named at the peak
constexpr size_t kMaxPlanned = 20'000;      // lifetimes; more would take too long
constexpr Bytes kWorthwhile = Bytes{4096};  // smaller waste is not reported

// The allocations as a planning problem: steps are the times of allocations and frees.
planner::Problem problem_of(const Slices& slices) {
  std::map<Nanoseconds, int64_t> step_of;
  for (const trace::SpaceAllocation& s : slices) step_of[s.begin], step_of[s.end];
  int64_t count = 0;
  for (auto& [time, step] : step_of) step = count++;
  planner::Problem problem;
  for (const trace::SpaceAllocation& s : slices) {
    if (s.asked <= 0) continue;
    const int64_t first = step_of[s.begin], last = s.open ? count : step_of[s.end];
    problem.intervals.push_back({first, std::max(last, first + 1), s.asked, 0, {}, {}});
  }
  return problem;
}

void add_at_peak(const Slices& slices, const trace::SpaceTotals& totals, std::vector<Finding>& found) {
  Finding peak, waste;
  peak.kind = Kind::SpacesAtPeak;
  waste.kind = Kind::Waste;
  Slices there;
  for (const trace::SpaceAllocation& s : slices)
    if (s.begin <= totals.peak_at && (s.open || s.end > totals.peak_at)) there.push_back(s);
  for (const trace::SpaceAllocation& s : there) waste.bytes += s.bytes - s.asked;
  const auto by = [](auto size) {
    return [size](const trace::SpaceAllocation& a, const trace::SpaceAllocation& b) { return size(a) > size(b); };
  };
  const auto first_of = [&](auto size) {
    std::stable_sort(there.begin(), there.end(), by(size));
    return Slices(there.begin(), there.begin() + static_cast<std::ptrdiff_t>(std::min(there.size(), kSlicesShown)));
  };
  peak.count = waste.count = static_cast<int64_t>(there.size());
  peak.bytes = totals.peak;
  peak.at = waste.at = totals.peak_at;
  peak.slices = first_of([](const trace::SpaceAllocation& s) { return s.bytes; });
  if (peak.count > 0) found.push_back(peak);
  if (waste.bytes < kWorthwhile) return;
  waste.slices = first_of([](const trace::SpaceAllocation& s) { return s.bytes - s.asked; });
  waste.share = static_cast<double>(waste.bytes) / static_cast<double>(totals.peak);
  found.push_back(waste);
}

}  // namespace

void add_space_findings(const FindingsInput& in, const FindingsOptions& options, std::vector<Finding>& found) {
  if (!in.snapshot || !trace::is_in_spaces(*in.snapshot, in.run, in.plan.get())) return;
  const trace::TimeRange range = trace::range_of_run(*in.snapshot, in.run);
  const trace::SpaceTotals totals = trace::space_totals(*in.snapshot, range, {});
  if (!totals.complete || totals.peak <= 0) return;
  const Slices slices = trace::slices_of(*in.snapshot, range, {});
  add_at_peak(slices, totals, found);
  if (totals.reserved_known && totals.unused >= kWorthwhile) {
    Finding f;
    f.kind = Kind::Fragmentation;
    f.bytes = totals.unused;
    f.share = static_cast<double>(totals.unused) / static_cast<double>(std::max<Bytes>(totals.reserved, 1));
    found.push_back(f);
  }
  if (!totals.reserved_known) return;
  const planner::Planner* planner = planner::find_planner("search");
  if (planner == nullptr || slices.size() > kMaxPlanned || options.stop.stop_requested()) return;
  const planner::Problem problem = problem_of(slices);
  planner::Options how;
  how.budget_seconds = std::min(1.0, options.budget_seconds / 4);
  how.stop = options.stop;
  const auto plan = planner->plan(problem, how);
  if (!plan || !planner::check(problem, *plan) || plan->arena_bytes >= totals.reserved) return;
  Finding f;
  f.kind = Kind::Packed;
  f.saved = totals.reserved - plan->arena_bytes;
  f.bytes = plan->arena_bytes;
  f.planner = std::string(planner->name());
  found.push_back(f);
}

}  // namespace arenascope
