// SPDX-License-Identifier: MIT
// Adds events to a session: rows of their tracks, and statistics over them.
#include <arenascope/trace/bind_event.h>
#include <arenascope/trace/session.h>
#include "engine/trace/address_space_tracker.h"
#include "engine/trace/saturate.h"

#include <algorithm>

namespace arenascope::trace {

namespace {

constexpr size_t kMaxLanes = 64;
constexpr size_t kMaxPendingBarriers = 4096;

// Equal for all threads that waited at the same barrier. A file may contain any generation.
int64_t barrier_key(const Event& wait) {
  return static_cast<int64_t>(static_cast<uint64_t>(wait.b) * 0x1000003) ^ wait.extra24();
}

}  // namespace

bool Session::sensible(const Event& e) const {
  if (!is_sensible_time(e.time)) return false;
  switch (e.kind()) {
    case EventKind::Work:
    case EventKind::Wait:
    case EventKind::Between: return is_sensible_time(e.a) && e.a >= e.time;
    case EventKind::Copy: return is_sensible_time(e.a) && e.a >= e.time && e.b >= 0;
    case EventKind::Slice: return is_sensible_time(e.a) && e.a >= e.time && e.b >= 0;
    case EventKind::Bind: return e.b >= 0;
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::Reserve:
    case EventKind::Release: return e.b >= 0 && (e.extra() & 0xff) < kMemoryKinds;
    case EventKind::SliceLive:
    case EventKind::SliceDead:
    case EventKind::ArenaWrite:
    case EventKind::ArenaRead: return e.a >= 0 && e.b >= 0;
    case EventKind::ContextObject: return e.a >= 0 && e.b >= 0 && e.a <= INT64_MAX - e.b;
    case EventKind::Step: return e.a >= 0 && e.a < INT32_MAX;
    case EventKind::Layer: return true;
    case EventKind::Counter: return e.id < counter_series_.size();
    case EventKind::None: break;
  }
  return false;
}

void Session::add(TrackId track, const Event& e) {
  Track& t = tracks_[track.index()];
  uint32_t row = 0;
  if (e.is_span()) {
    const size_t depth = e.kind() == EventKind::Slice ? std::min<size_t>(static_cast<size_t>(e.b), kMaxLanes - 1) : 0;
    while (t.lanes.size() <= depth) t.lanes.emplace_back();
    Lane& lane = t.lanes[depth];
    if (lane.rows.size() >= UINT32_MAX) return bad("more spans on one thread than can be counted");
    row = static_cast<uint32_t>(lane.rows.size());
    append(lane.rows, lane.tree, e, SpanSummary::of(e, row));
  } else {
    if (t.points.size() >= UINT32_MAX) return bad("more events on one thread than can be counted");
    row = static_cast<uint32_t>(t.points.size());
    t.points.push_back(e);
  }
  ++event_count_;
  begin_ = std::min(begin_, e.begin());
  end_ = std::max(end_, e.end());

  derive(track, e);
  switch (e.kind()) {
    case EventKind::Work: return add_work(track, e);
    case EventKind::Between: return add_between(e);
    case EventKind::Bind: return add_space(e, bound_allocator(e));
    case EventKind::Wait: return add_wait(track, e);
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::Reserve:
    case EventKind::Release: return add_memory(track, row, e);
    case EventKind::SliceLive:
    case EventKind::SliceDead: return add_slice(e);
    case EventKind::ArenaWrite:
    case EventKind::ArenaRead:
      return append(seen_, seen_times_,
                    AccessRect{TensorRef{e.id}, known_run(e.run()), e.slice_offset(), e.slice_bytes(), e.slice_step(),
                               e.time, e.kind() == EventKind::ArenaWrite},
                    Range64{e.time, e.time});
    case EventKind::ContextObject: return context_events_.push_back({track, row});
    case EventKind::Copy: return copies_.push_back({track, 0, row});
    case EventKind::Step: {
      const RunId run = e.run();
      newest_step_ = Step(static_cast<int32_t>(e.a));
      if (!known_run(run).valid()) return;
      reach(run, e.time);
      return add_mark({e.time, run, newest_step_, e.node()});
    }
    case EventKind::Counter: return counter_series_[e.id].add(e.time, __builtin_bit_cast(double, e.a));
    case EventKind::Layer:
    case EventKind::Slice:
    case EventKind::None: return;
  }
}

void Session::add_mark(const StepMark& mark) {
  Run& r = runs_.mutate(mark.run.index());
  const size_t at = marks_base_ + marks_.size();
  if (r.marks == 0) r.first_mark = at;
  r.marks = at + 1 - r.first_mark;
  marks_.push_back(mark);
}

void Session::Series::add(Nanoseconds t, double value) {
  if (!samples.empty()) t = std::max(t, samples[samples.size() - 1].time);  // a file may have any times
  append(samples, tree, Sample{t, value}, SampleSummary{t, t, value, value, value, true});
}

void Session::add_space(const Event& e, uint32_t allocator) {
  DeviceId device;
  for (const AllocatorInfo& a : allocators_)
    if (a.id == allocator) device = a.device;
  spaces_->add(e, device);
}

void Session::add_memory(TrackId track, uint32_t row, const Event& e) {
  memory_events_.push_back({track, row});
  add_space(e, e.allocator());
  const auto kind = static_cast<size_t>(e.memory_kind());
  const bool is_active = e.kind() == EventKind::Alloc || e.kind() == EventKind::Free;
  const bool grows = e.kind() == EventKind::Alloc || e.kind() == EventKind::Reserve;
  auto& now = is_active ? active_now_ : reserved_now_;
  const auto bytes = static_cast<double>(e.b);
  now[kind] += grows ? bytes : -bytes;
  (is_active ? active_ : reserved_)[kind].add(e.time, now[kind]);
  double sum = 0;
  for (double v : now) sum += v;
  (is_active ? all_active_ : all_reserved_).add(e.time, sum);
}

// Null if the run is unknown or its table was evicted.
RunTable* Session::table_of(RunId run) {
  if (!known_run(run).valid() || (runs_[run.index()].evicted && !runs_[run.index()].table)) return nullptr;
  for (OpenTable& open : open_tables_) {
    if (open.run != run) continue;
    if (open.shared) {
      open.table = std::make_shared<RunTable>(*open.table);
      runs_.mutate(run.index()).table = open.table;
      open.shared = false;
    }
    return open.table.get();
  }
  constexpr size_t kMaxOpen = 8;
  if (open_tables_.size() >= kMaxOpen) open_tables_.erase(open_tables_.begin());
  const auto known = runs_[run.index()].table;
  auto table = known ? std::make_shared<RunTable>(*known) : std::make_shared<RunTable>();
  runs_.mutate(run.index()).table = table;
  if (!known) table_bytes_ += table->bytes();
  open_tables_.push_back({run, std::move(table)});
  return open_tables_.back().table.get();
}

NodeRun* Session::node_of(RunId run, NodeId node) {
  if (!known_run(run).valid() || !node.valid()) return nullptr;
  const GraphId graph = runs_[run.index()].info.graph;
  if (!graph.valid() || graph.index() >= graphs_.size() || !graphs_[graph.index()]) return nullptr;
  const size_t nodes = graphs_[graph.index()]->nodes.size();
  if (node.index() >= nodes) return nullptr;
  RunTable* table = table_of(run);
  if (table == nullptr) return nullptr;
  if (table->nodes.size() <= node.index()) {
    table_bytes_ += (nodes - table->nodes.size()) * sizeof(NodeRun);
    table->nodes.resize(nodes);
  }
  return &table->nodes[node.index()];
}

void Session::reach(RunId run, Nanoseconds time) {
  if (RunTable* table = table_of(run)) table->reached = std::max(table->reached, time);
}

TrackRun* Session::track_of(RunId run, TrackId track, Nanoseconds reached) {
  RunTable* table = table_of(run);
  if (table == nullptr) return nullptr;
  table->reached = std::max(table->reached, reached);
  if (const size_t known = table->tracks.size(); known <= track.index()) {
    table_bytes_ += (track.index() + 1 - known) * sizeof(TrackRun);
    table->tracks.resize(track.index() + 1);
  }
  return &table->tracks[track.index()];
}

NodeVote* Session::vote(RunId run, NodeId node) {
  if (!known_run(run).valid()) return nullptr;
  const GraphId graph = runs_[run.index()].info.graph;
  if (!graph.valid() || graph.index() >= graphs_.size() || !graphs_[graph.index()]) return nullptr;
  if (!node.valid() || node.index() >= graphs_[graph.index()]->nodes.size()) return nullptr;
  if (node_votes_.size() <= graph.index()) node_votes_.resize(graph.index() + 1);
  Column<NodeVote>& column = node_votes_[graph.index()];
  while (column.size() <= node.index()) column.push_back({});
  return &column.mutate(node.index());
}

void Session::add_between(const Event& e) {
  if (!known_run(e.run()).valid()) return;
  reach(e.run(), e.end());
  if ((e.b & kStepped) != 0) runs_.mutate(e.run().index()).info.stepped = true;
  if (e.is_pause()) add_pause(e);
}

void Session::add_work(TrackId track, const Event& e) {
  const Nanoseconds took = e.end() - e.begin();
  if (TrackRun* t = track_of(e.run(), track, e.end())) t->work = add_saturated(t->work, took);
  NodeRun* n = node_of(e.run(), e.node());
  if (n == nullptr) return;
  NodeRun::Parts& parts = tracks_[track.index()].info.kind == TrackKind::DeviceQueue ? n->device : n->host;
  parts.begin = parts.count == 0 ? e.begin() : std::min(parts.begin, e.begin());
  parts.end = parts.count == 0 ? e.end() : std::max(parts.end, e.end());
  parts.busy = add_saturated(parts.busy, took);
  ++parts.count;
}

// Time within [begin, end) for which the run was paused.
Nanoseconds Session::paused_in(RunId run, Nanoseconds begin, Nanoseconds end) {
  if (!known_run(run).valid() || !runs_[run.index()].table) return 0;
  Nanoseconds sum = 0;
  for (const TimeRange& pause : runs_[run.index()].table->pauses)
    sum += std::max<Nanoseconds>(std::min(end, pause.end) - std::max(begin, pause.begin), 0);
  return sum;
}

void Session::add_pause(const Event& e) {
  RunTable* table = table_of(e.run());
  if (table == nullptr) return;
  table_bytes_ += sizeof(TimeRange);
  table->pauses.push_back({e.begin(), e.end()});
  table->paused = add_saturated(table->paused, e.end() - e.begin());
}

void Session::add_wait(TrackId track, const Event& e) {
  const int64_t key = barrier_key(e);
  const auto [it, fresh] = pending_barriers_.try_emplace(key);
  PendingBarrier& p = it->second;
  Barrier& b = p.barrier;
  const Nanoseconds waited = e.end() - e.begin() - paused_in(e.run(), e.begin(), e.end());
  if (TrackRun* t = track_of(e.run(), track, e.end())) t->wait = add_saturated(t->wait, waited);
  if (fresh) {
    const auto nodes = static_cast<int32_t>(std::clamp<int64_t>(e.nodes(), 1, INT32_MAX));
    b = {e.run(), e.node(), e.generation(), e.begin(), e.begin(), e.end(), waited, track, 1, nodes};
    p.expected = known_run(e.run()).valid() ? runs_[e.run().index()].info.threads : 0;
  } else {
    b.first_arrival = std::min(b.first_arrival, e.begin());
    if (e.begin() > b.last_arrival) {
      b.last_arrival = e.begin();
      b.last_arriver = track;
    }
    b.last_leave = std::max(b.last_leave, e.end());
    b.wait_sum = add_saturated(b.wait_sum, waited);
    ++b.threads;
  }
  if (p.expected > 0 && b.threads >= p.expected) {
    finish(p);
    pending_barriers_.erase(it);
  } else if (pending_barriers_.size() > kMaxPendingBarriers) {
    finish_barriers(RunId::none());  // events were lost: some threads will never arrive
  }
}

void Session::finish(PendingBarrier& p) {
  const Barrier& b = p.barrier;
  append(barriers_, barrier_times_, b, Range64{b.first_arrival, b.last_leave});
  if (NodeRun* n = node_of(b.run, b.node)) {
    ++n->barriers;
    n->wait = add_saturated(n->wait, b.wait_sum);
  }
  NodeVote* s = vote(b.run, b.node);
  if (s == nullptr) return;
  ++s->barriers;
  s->last_arriver = b.last_arriver;
  if (s->most_frequent_votes == 0) {  // Boyer–Moore majority vote
    s->most_frequent_last = b.last_arriver;
    s->most_frequent_votes = 1;
  } else {
    s->most_frequent_votes += s->most_frequent_last == b.last_arriver ? 1 : -1;
  }
}

// Finishes the barriers of runs up to `run` (in the last run, some threads may not have left yet), or all barriers if
// `run` is none. In generation order, so that a replay gives the same result.
void Session::finish_barriers(RunId run) {
  std::vector<std::pair<int64_t, int64_t>> keys;
  for (const auto& [key, p] : pending_barriers_) {
    if (!run.valid() || p.barrier.run <= run) keys.emplace_back(p.barrier.generation, key);
  }
  std::sort(keys.begin(), keys.end());
  for (const auto& [generation, key] : keys) {
    const auto it = pending_barriers_.find(key);
    finish(it->second);
    pending_barriers_.erase(it);
  }
}

RunId Session::known_run(RunId run) const {
  return run.valid() && run.index() >= forgotten_runs_ && run.index() < runs_.size() ? run : RunId::none();
}

void Session::add_slice(const Event& e) {
  const SliceKey key{TensorRef{e.id}, known_run(e.run()), e.slice_offset()};
  const Step step = e.slice_step();
  constexpr size_t kMaxUnmatched = 16;  // begins per tensor; more means that ends were lost
  const auto known = open_.find(key);
  if (e.kind() == EventKind::SliceLive) {
    ArenaAllocation rect{key.tensor, key.run, key.offset, e.slice_bytes(), step, step, e.time, e.time, true};
    rect.derived = rect.run.valid() && runs_[rect.run.index()].info.steps_derived;
    newest_step_ = step;
    auto& same = known == open_.end() ? open_[key] : known->second;
    if (same.size() >= kMaxUnmatched) same.erase(same.begin());
    return same.push_back(rect);
  }
  if (known == open_.end()) return;  // its begin was lost, or precedes the recording
  close_slice(known->second.back(), step, e.time);
  known->second.pop_back();
  if (known->second.empty()) open_.erase(known);
}

void Session::close_slice(ArenaAllocation rect, Step last, Nanoseconds end) {
  rect.last = last;
  rect.end = std::max(end, rect.begin);
  rect.open = false;
  append(slices_, slice_times_, rect, Range64{rect.begin, rect.end});
}

}  // namespace arenascope::trace
