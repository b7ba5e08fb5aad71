// SPDX-License-Identifier: MIT
#include <arenascope/trace/snapshot.h>
#include "engine/trace/saturate.h"

#include <fmt/format.h>

#include <algorithm>

namespace arenascope::trace {

SpanSummary SpanSummary::of(const Event& e, uint32_t row) {
  SpanSummary s{e.begin(), e.end(), 0, 0, 0, e.end() - e.begin(), row, 1};
  (e.kind() == EventKind::Work ? s.work : e.kind() == EventKind::Wait ? s.wait : s.other) = s.longest;
  return s;
}

void SpanSummary::add(const SpanSummary& o) {
  lo = std::min(lo, o.lo);
  hi = std::max(hi, o.hi);
  work = add_saturated(work, o.work);
  wait = add_saturated(wait, o.wait);
  other = add_saturated(other, o.other);
  count += o.count;
  if (o.longest > longest) {
    longest = o.longest;
    longest_row = o.longest_row;
  }
}

const GraphInfo* Snapshot::graph_of(RunId id) const {
  const Run* r = run(id);
  return r == nullptr ? nullptr : graph(r->info.graph);
}

const PlanInfo* Snapshot::plan_of(RunId id) const {
  const Run* r = run(id);
  return r == nullptr ? nullptr : plan(r->info.plan);
}

const TensorInfo* Snapshot::tensor(GraphId graph_id, TensorRef ref) const {
  const GraphInfo* g = graph(graph_id);
  if (g == nullptr || !ref.valid()) return nullptr;
  const auto& list = ref.is_leaf() ? g->leafs : g->nodes;
  return ref.index() < list.size() ? &list[ref.index()] : nullptr;
}

std::string_view Snapshot::name(NameId id) const {
  return id.valid() && id.index() < names.size() ? std::string_view(*names[id.index()]) : std::string_view();
}

const StackInfo* Snapshot::stack_of(uint32_t allocation) const {
  for (size_t i = 0; i < stacks.size(); ++i) {
    const auto& taken = stacks[i].allocations;
    if (std::binary_search(taken.begin(), taken.end(), allocation)) return &stacks[i];
  }
  return nullptr;
}

std::string_view Snapshot::kernel(const Event& e) const {
  return e.kind() == EventKind::Work ? name(e.kernel()) : std::string_view();
}

std::string Snapshot::label(const Event& e) const {
  switch (e.kind()) {
    case EventKind::Work: {
      const std::string_view kernel_name = kernel(e);
      const std::string suffix = kernel_name.empty() ? std::string() : fmt::format(" · {}", kernel_name);
      const GraphInfo* g = graph_of(e.run());
      if (g == nullptr || !e.node().valid() || e.node().index() >= g->nodes.size())
        return fmt::format("node {}{}", e.id, suffix);
      const TensorInfo& n = g->nodes[e.node().index()];
      return n.name.empty() ? n.op + suffix : fmt::format("{} {}{}", n.op, n.name, suffix);
    }
    case EventKind::Wait: return "barrier wait";
    case EventKind::Between: return (e.b & kPaused) != 0 ? "paused" : "between two nodes";
    case EventKind::Copy: return "copy";
    case EventKind::Slice:
    case EventKind::Layer: return std::string(name(NameId(static_cast<int32_t>(e.id))));
    case EventKind::Counter: return e.id < counters.size() ? counters[e.id].name : std::string();
    default: return {};
  }
}

std::vector<SpanRef> Snapshot::spans_exact(TrackId track, Nanoseconds t0, Nanoseconds t1, size_t limit) const {
  std::vector<SpanRef> found;
  if (!track.valid() || track.index() >= tracks.size()) return found;
  const TrackView& t = tracks[track.index()];
  for (uint32_t lane = 0; lane < t.lanes.size(); ++lane) {
    const LaneView& l = t.lanes[lane];
    l.tree.visit([&](const SpanSummary& s, size_t, size_t) { return s.lo < t1 && s.hi >= t0 && found.size() < limit; },
                 [&](size_t row) {
                   const Event& e = l.rows[row];
                   if (e.begin() < t1 && (e.end() > t0 || (e.end() == t0 && e.begin() == t0)) && found.size() < limit) {
                     found.push_back({track, lane, static_cast<uint32_t>(row)});
                   }
                 });
  }
  std::stable_sort(found.begin(), found.end(),
                   [&](const SpanRef& x, const SpanRef& y) { return event(x).begin() < event(y).begin(); });
  return found;
}

std::optional<SpanRef> Snapshot::span_at(TrackId track, Nanoseconds t) const {
  if (!track.valid() || track.index() >= tracks.size()) return std::nullopt;
  const TrackView& view = tracks[track.index()];
  for (size_t lane = view.lanes.size(); lane-- > 0;) {
    const LaneView& l = view.lanes[lane];
    std::optional<SpanRef> best;
    l.tree.visit([&](const SpanSummary& s, size_t, size_t) { return s.lo <= t && s.hi > t; },
                 [&](size_t row) {
                   const Event& e = l.rows[row];
                   if (e.begin() > t || e.end() <= t) return;
                   if (!best || e.begin() > event(*best).begin()) {
                     best = SpanRef{track, static_cast<uint32_t>(lane), static_cast<uint32_t>(row)};
                   }
                 });
    if (best) return best;
  }
  return std::nullopt;
}

std::vector<SpanRef> Snapshot::spans_of(RunId run_id, NodeId node) const {
  std::vector<SpanRef> found;
  const Run* r = run(run_id);
  if (r == nullptr) return found;
  TimeRange range{r->info.begin, r->finished ? r->end : time.end};
  for (size_t i = 0; i < tracks.size(); ++i) {
    if (tracks[i].lanes.empty()) continue;
    const LaneView& l = tracks[i].lanes[0];
    l.tree.visit([&](const SpanSummary& s, size_t, size_t) { return s.lo <= range.end && s.hi >= range.begin; },
                 [&](size_t row) {
                   const Event& e = l.rows[row];
                   if (e.kind() == EventKind::Work && e.node() == node && e.run() == run_id) {
                     found.push_back({TrackId(i), 0, static_cast<uint32_t>(row)});
                   }
                 });
  }
  return found;
}

std::vector<Barrier> Snapshot::barriers_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const {
  std::vector<Barrier> found;
  barrier_times.visit([&](const Range64& s, size_t, size_t) { return s.lo < t1 && s.hi > t0 && found.size() < limit; },
                      [&](size_t row) {
                        const Barrier& b = barriers[row];
                        if (b.first_arrival < t1 && b.last_leave > t0 && found.size() < limit) found.push_back(b);
                      });
  return found;
}

std::optional<Barrier> Snapshot::barrier_of(RunId run_id, NodeId node) const {
  const Run* r = run(run_id);
  if (r == nullptr) return std::nullopt;
  const Nanoseconds end = r->finished ? r->end : time.end;
  std::optional<Barrier> found;
  barrier_times.visit([&](const Range64& s, size_t, size_t) { return s.lo <= end && s.hi >= r->info.begin; },
                      [&](size_t row) {
                        if (barriers[row].run == run_id && barriers[row].node == node) found = barriers[row];
                      });
  return found;
}

std::optional<Barrier> Snapshot::barrier_after(RunId run_id, Nanoseconds t) const {
  const Run* r = run(run_id);
  if (r == nullptr) return std::nullopt;
  const Nanoseconds end = r->finished ? r->end : time.end;
  std::optional<Barrier> found;
  barrier_times.visit([&](const Range64& s, size_t, size_t) { return s.lo <= end && s.hi >= t && !found; },
                      [&](size_t row) {
                        const Barrier& b = barriers[row];
                        if (!found && b.run == run_id && b.last_arrival >= t) found = b;
                      });
  return found;
}

StepMap Snapshot::steps(RunId id) const {
  const Run* r = run(id);
  if (r == nullptr) return {};
  std::vector<StepMark> list;
  const size_t end = std::min(marks_base + marks.size(), r->first_mark + r->marks);
  for (size_t i = std::max(r->first_mark, marks_base); i < end; ++i) {
    const StepMark& m = marks[i - marks_base];
    // A file may have any steps and times.
    if (m.run == id && (list.empty() || (m.step > list.back().step && m.time >= list.back().time))) list.push_back(m);
  }
  return {std::move(list), r->finished ? r->end : std::max(r->end, time.end)};
}

std::optional<TimeRange> Snapshot::time_of(RunId run_id, NodeId node) const {
  const StepMap map = steps(run_id);
  for (const StepMark& m : map.marks()) {
    if (m.node == node) return TimeRange{m.time, map.time_of(m.step.value + 1.0)};
  }
  return std::nullopt;
}

double StepMap::step_at(Nanoseconds t) const {
  if (marks_.empty() || t <= marks_.front().time) return marks_.empty() ? 0 : marks_.front().step.value;
  const auto next =
      std::upper_bound(marks_.begin(), marks_.end(), t, [](Nanoseconds x, const StepMark& m) { return x < m.time; });
  const StepMark& m = *std::prev(next);
  const Nanoseconds end = next == marks_.end() ? std::max(end_, m.time) : next->time;
  const int32_t end_step = next == marks_.end() ? m.step.value + 1 : next->step.value;
  if (t >= end) return end_step;
  return m.step.value + static_cast<double>(t - m.time) / static_cast<double>(end - m.time) * (end_step - m.step.value);
}

Nanoseconds StepMap::time_of(double step) const {
  if (marks_.empty()) return 0;
  if (!(step > marks_.front().step.value)) return marks_.front().time;
  const auto next = std::upper_bound(marks_.begin(), marks_.end(), step,
                                     [](double x, const StepMark& m) { return x < m.step.value; });
  const StepMark& m = *std::prev(next);
  const Nanoseconds end = next == marks_.end() ? std::max(end_, m.time) : next->time;
  const int32_t end_step = next == marks_.end() ? m.step.value + 1 : next->step.value;
  if (step >= end_step) return end;
  const double part = (step - m.step.value) / (end_step - m.step.value);
  return m.time + static_cast<Nanoseconds>(part * static_cast<double>(end - m.time));
}

std::optional<StepMark> StepMap::mark_at(Nanoseconds t) const {
  const auto next =
      std::upper_bound(marks_.begin(), marks_.end(), t, [](Nanoseconds x, const StepMark& m) { return x < m.time; });
  if (next == marks_.begin() || t >= std::max(end_, std::prev(next)->time + 1)) return std::nullopt;
  return *std::prev(next);
}

std::vector<ArenaAllocation> Snapshot::slices_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const {
  std::vector<ArenaAllocation> found;
  slice_times.visit([&](const Range64& s, size_t, size_t) { return s.lo < t1 && s.hi > t0 && found.size() < limit; },
                    [&](size_t row) {
                      const ArenaAllocation& r = slices[row];
                      if (r.begin < t1 && r.end > t0 && found.size() < limit) found.push_back(r);
                    });
  for (const ArenaAllocation& r : open_slices) {
    if (r.begin < t1 && r.end >= t0 && found.size() < limit) found.push_back(r);
  }
  return found;
}

std::vector<Space> Snapshot::spaces_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const {
  std::vector<Space> found;
  const auto take = [&](const Space& s) {
    if (s.begin < t1 && (s.end > t0 || s.open) && found.size() < limit) found.push_back(s);
  };
  for (size_t i = spaces.partition_point([&](const Space& s) { return s.end <= t0; }); i < spaces.size(); ++i)
    take(spaces[i]);
  for (const Space& s : open_spaces) take(s);
  return found;
}

std::vector<SpaceAllocation> Snapshot::space_slices_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const {
  std::vector<SpaceAllocation> found;
  space_slice_times.visit(
      [&](const Range64& s, size_t, size_t) { return s.lo < t1 && s.hi > t0 && found.size() < limit; },
      [&](size_t row) {
        const SpaceAllocation& s = space_slices[row];
        if (s.begin < t1 && s.end > t0 && found.size() < limit) found.push_back(s);
      });
  for (const SpaceAllocation& s : open_space_slices) {
    if (s.begin < t1 && s.end >= t0 && found.size() < limit) found.push_back(s);
  }
  return found;
}

const AllocatorInfo* Snapshot::allocator(uint32_t id) const {
  for (const AllocatorInfo& a : allocators)
    if (a.id == id) return &a;
  return nullptr;
}

std::vector<ArenaAllocation> Snapshot::slices_live(RunId run_id, Step step) const {
  std::vector<ArenaAllocation> found;
  const Run* r = run(run_id);
  if (r == nullptr) return found;
  const Nanoseconds end = r->finished ? r->end : time.end;
  const auto take = [&](const ArenaAllocation& rect) {
    if (rect.run == run_id && rect.first <= step && step < rect.last) found.push_back(rect);
  };
  slice_times.visit([&](const Range64& s, size_t, size_t) { return s.lo <= end && s.hi >= r->info.begin; },
                    [&](size_t row) { take(slices[row]); });
  for (const ArenaAllocation& rect : open_slices) take(rect);
  return found;
}

std::vector<AccessRect> Snapshot::accesses_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const {
  std::vector<AccessRect> found;
  access_times.visit([&](const Range64& s, size_t, size_t) { return s.lo < t1 && s.hi >= t0 && found.size() < limit; },
                     [&](size_t row) {
                       const AccessRect& r = seen[row];
                       if (r.time < t1 && r.time >= t0 && found.size() < limit) found.push_back(r);
                     });
  return found;
}

std::vector<size_t> Snapshot::plan_slices_live(const PlanInfo& plan, Step step) {
  std::vector<size_t> found;
  for (size_t i = 0; i < plan.slices.size(); ++i) {
    if (plan.slices[i].first <= step && step < plan.slices[i].last) found.push_back(i);
  }
  return found;
}

}  // namespace arenascope::trace
