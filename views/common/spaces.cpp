// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/figure.h>
#include <views/common/spaces.h>

#include <algorithm>

namespace arenascope::views {

namespace {

constexpr size_t kMost = 300000;  // spaces or slices taken in

struct Change {
  Nanoseconds time = 0;
  Bytes reserved = 0, active = 0;
};

}  // namespace

namespace {

bool shows(const SpaceChoice& choice, trace::MemoryKind kind, uint32_t allocator) {
  switch (choice.of) {
    case SpaceChoice::Of::Working: return kind != trace::MemoryKind::Persistent && kind != trace::MemoryKind::Mapped;
    case SpaceChoice::Of::All: return true;
    case SpaceChoice::Of::Allocator: return allocator == choice.allocator;
  }
  return false;
}

}  // namespace

bool shows(const SpaceChoice& choice, const trace::Space& space) { return shows(choice, space.kind, space.allocator); }
bool shows(const SpaceChoice& choice, const trace::SpaceSlice& slice) {
  return shows(choice, slice.space_kind, slice.space_allocator);
}

bool lies_in_spaces(const PrepareInput& in) {
  const trace::Snapshot& s = *in.snapshot;
  if (in.shown_plan != nullptr || (s.spaces.empty() && s.open_spaces.empty())) return false;
  const trace::Run* run = s.run(in.run);
  if (in.plan == nullptr) return run == nullptr || (s.slices.empty() && s.open_slices.empty());
  if (run == nullptr) return false;
  if (!run->info.strategy.empty() && run->info.strategy != "planned") return true;
  return std::any_of(in.plan->elsewhere.begin(), in.plan->elsewhere.end(),
                     [](const trace::SliceInfo& slice) { return slice.placement == trace::Placement::Packed; });
}

trace::TimeRange range_of_run(const PrepareInput& in) {
  const trace::Snapshot& s = *in.snapshot;
  trace::TimeRange range{s.time.begin, s.time.end + 1};
  if (const trace::Run* run = s.run(in.run)) {
    range.begin = run->info.begin;
    if (run->finished) range.end = std::max(run->end, run->info.begin + 1);
  }
  return range;
}

SpaceTotals space_totals(const trace::Snapshot& snapshot, trace::TimeRange range, const SpaceChoice& choice) {
  SpaceTotals totals;
  std::vector<Change> changes;
  const auto add = [&](const auto& piece, Bytes reserved, Bytes active) {
    changes.push_back({std::max(piece.begin, range.begin), reserved, active});
    if (!piece.open && piece.end < range.end) changes.push_back({piece.end, -reserved, -active});
  };
  const auto spaces = snapshot.spaces_in(range.begin, range.end, kMost);
  const auto slices = snapshot.space_slices_in(range.begin, range.end, kMost);
  totals.complete = spaces.size() < kMost && slices.size() < kMost;
  for (const trace::Space& space : spaces) {
    if (shows(choice, space)) add(space, space.bytes, 0);
  }
  for (const trace::SpaceSlice& slice : slices) {
    if (!shows(choice, slice)) continue;
    ++totals.slices;
    add(slice, 0, slice.bytes);
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  Bytes reserved = 0, active = 0;
  for (size_t i = 0; i < changes.size();) {
    const Nanoseconds time = changes[i].time;
    for (; i < changes.size() && changes[i].time == time; ++i)
      reserved += changes[i].reserved, active += changes[i].active;
    if (active > totals.peak) totals.peak = active, totals.peak_at = time;
    totals.reserved = std::max(totals.reserved, reserved);
    totals.unused = std::max(totals.unused, reserved - active);
  }
  return totals;
}

std::string space_figure(trace::RunId run, const SpaceChoice& choice, const char* what) {
  std::string id = run.valid() ? run_figure(run, "spaces.") : "recording.spaces.";
  if (choice.of == SpaceChoice::Of::Working) id += "working.";
  if (choice.of == SpaceChoice::Of::All) id += "all.";
  if (choice.of == SpaceChoice::Of::Allocator) id += "allocator." + std::to_string(choice.allocator) + ".";
  return id + what;
}

}  // namespace arenascope::views
