// SPDX-License-Identifier: MIT
#include <arenascope/trace/saturate.h>
#include <arenascope/trace/session.h>

#include <algorithm>
#include <new>

namespace arenascope::trace {

namespace {

constexpr size_t kMaxLanes = 64;
constexpr size_t kMaxPendingBarriers = 4096;
constexpr Nanoseconds kLatest = int64_t{1} << 61;  // so that the difference of two times cannot overflow

bool sensible_time(Nanoseconds t) { return t > -kLatest && t < kLatest; }

// Puts `value` at its id in a table that grows by one at a time. False for an id further out.
template <class T, class I>
bool put(std::vector<T>& table, I id, T value) {
  if (!id.valid() || id.index() > table.size()) return false;
  if (id.index() == table.size()) {
    table.push_back(std::move(value));
  } else {
    table[id.index()] = std::move(value);
  }
  return true;
}

}  // namespace

void Session::describe(const Description& description) {
  std::lock_guard lock(mutex_);
  latest_.reset();
  ++generation_;
  try {
    std::visit([this](const auto& d) { apply(d); }, description);
  } catch (const std::bad_alloc&) {
    bad("memory ran out");
  }
}

void Session::events(TrackId track, std::span<const Event> events) {
  std::lock_guard lock(mutex_);
  latest_.reset();
  ++generation_;
  if (!track.valid() || track.index() >= tracks_.size()) return bad("events of a thread that was never described");
  try {
    for (const Event& event : events) {
      if (sensible(event)) {
        add(track, event);
      } else {
        bad("an event whose numbers make no sense");
      }
    }
    if (options_.max_bytes != 0 && bytes_locked() > options_.max_bytes) forget_older_half();
  } catch (const std::bad_alloc&) {
    bad("memory ran out");
  }
}

void Session::bad(const char* what) {
  if (bad_++ != 0) return;
  problems_.push_back({Severity::Error, std::string("Some of the data was left out, first for: ") + what + ".",
                       end_ == INT64_MIN ? 0 : end_, RunId::none(), NodeId::none()});
}

bool Session::sensible(const Event& e) const {
  if (!sensible_time(e.time)) return false;
  switch (e.kind()) {
    case EventKind::Work:
    case EventKind::Wait:
      return sensible_time(e.a) && e.a >= e.time;
    case EventKind::Copy:
      return sensible_time(e.a) && e.a >= e.time && e.b >= 0;
    case EventKind::Slice:
      return sensible_time(e.a) && e.a >= e.time && e.b >= 0;
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::Reserve:
    case EventKind::Release:
      return e.b >= 0 && (e.extra() & 0xff) < kMemoryKinds;
    case EventKind::SliceLive:
    case EventKind::SliceDead:
    case EventKind::SeenWrite:
    case EventKind::SeenRead:
    case EventKind::ContextObject:
      return e.a >= 0 && e.b >= 0 && e.a <= INT64_MAX - e.b;
    case EventKind::Step:
      return e.a >= 0 && e.a < INT32_MAX;
    case EventKind::Layer:
      return true;
    case EventKind::Counter:
      return e.id < counter_series_.size();
    case EventKind::None:
      break;
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
    lane.rows.push_back(e);
    lane.tree.add(SpanSummary::of(e, row));
  } else {
    if (t.points.size() >= UINT32_MAX) return bad("more events on one thread than can be counted");
    row = static_cast<uint32_t>(t.points.size());
    t.points.push_back(e);
  }
  ++event_count_;
  begin_ = std::min(begin_, e.begin());
  end_ = std::max(end_, e.end());

  switch (e.kind()) {
    case EventKind::Work:
      return add_work(e);
    case EventKind::Wait:
      return add_wait(track, e);
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::Reserve:
    case EventKind::Release:
      return add_memory(track, row, e);
    case EventKind::SliceLive:
    case EventKind::SliceDead:
      return add_slice(e);
    case EventKind::SeenWrite:
    case EventKind::SeenRead:
      seen_.push_back({TensorRef{e.id}, run_at(e.time), e.a, e.b, e.step(), e.time, e.kind() == EventKind::SeenWrite});
      return seen_times_.add({e.time, e.time});
    case EventKind::ContextObject:
      return context_events_.push_back({track, row});
    case EventKind::Copy:
      return copies_.push_back({track, 0, row});
    case EventKind::Step: {
      const RunId run = e.run();
      newest_step_ = Step(static_cast<int32_t>(e.a));
      if (!run.valid() || run.index() >= runs_.size()) return;
      Run& r = runs_.mutate(run.index());
      const size_t at = marks_base_ + marks_.size();
      if (r.marks == 0) r.first_mark = at;
      r.marks = at + 1 - r.first_mark;
      marks_.push_back({e.time, run, newest_step_, e.node()});
      return;
    }
    case EventKind::Counter:
      return counter_series_[e.id].add(e.time, __builtin_bit_cast(double, e.a));
    case EventKind::Layer:
    case EventKind::Slice:
    case EventKind::None:
      return;
  }
}

void Session::Series::add(Nanoseconds t, double value) {
  if (!samples.empty()) t = std::max(t, samples[samples.size() - 1].time);  // rings are drained one after the other
  samples.push_back({t, value});
  tree.add({t, t, value, value, value, true});
}

void Session::add_memory(TrackId track, uint32_t row, const Event& e) {
  memory_events_.push_back({track, row});
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

NodeStats* Session::stats(RunId run, NodeId node) {
  if (!run.valid() || run.index() >= runs_.size()) return nullptr;
  const GraphId graph = runs_[run.index()].info.graph;
  if (!graph.valid() || graph.index() >= graphs_.size() || !graphs_[graph.index()]) return nullptr;
  if (!node.valid() || node.index() >= graphs_[graph.index()]->nodes.size()) return nullptr;
  if (node_stats_.size() <= graph.index()) node_stats_.resize(graph.index() + 1);
  Column<NodeStats>& column = node_stats_[graph.index()];
  while (column.size() <= node.index()) column.push_back({});
  return &column.mutate(node.index());
}

void Session::add_work(const Event& e) {
  NodeStats* s = stats(e.run(), e.node());
  if (s == nullptr) return;
  const Nanoseconds took = e.end() - e.begin();
  s->work_min = s->spans == 0 ? took : std::min(s->work_min, took);
  s->work_max = std::max(s->work_max, took);
  s->work_sum = add_saturated(s->work_sum, took);
  ++s->spans;
}

void Session::add_wait(TrackId track, const Event& e) {
  const int64_t key = e.b * 0x1000003 ^ e.extra24();
  const auto [it, fresh] = pending_barriers_.try_emplace(key);
  PendingBarrier& p = it->second;
  Barrier& b = p.barrier;
  const Nanoseconds waited = e.end() - e.begin();
  if (fresh) {
    b = {e.run(), e.node(), e.b, e.begin(), e.begin(), e.end(), waited, track, 1};
    const bool known = e.run().valid() && e.run().index() < runs_.size();
    p.expected = known ? runs_[e.run().index()].info.threads : 0;
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
    finish_barriers(RunId::none());  // losses: some of their threads will never be heard of
  }
}

void Session::finish(PendingBarrier& p) {
  const Barrier& b = p.barrier;
  barriers_.push_back(b);
  barrier_times_.add({b.first_arrival, b.last_leave});
  NodeStats* s = stats(b.run, b.node);
  if (s == nullptr) return;
  ++s->barriers;
  s->wait_sum = add_saturated(s->wait_sum, b.wait_sum);
  s->wait_max = std::max(s->wait_max, b.wait_sum);
  s->last_arriver = b.last_arriver;
  if (s->usual_votes == 0) {  // Boyer and Moore's majority vote
    s->usual_last = b.last_arriver;
    s->usual_votes = 1;
  } else {
    s->usual_votes += s->usual_last == b.last_arriver ? 1 : -1;
  }
}

// Those of runs up to `run` (of the last run some thread may still have to say when it left), or all if `run` is none;
// in the order of their generation, so that a replay does the same.
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

RunId Session::run_at(Nanoseconds t) const {
  size_t i = runs_.size();
  while (i > 0 && runs_[i - 1].info.begin > t) --i;  // nearly always the newest one
  return i == 0 ? RunId::none() : runs_[i - 1].info.id;
}

void Session::add_slice(const Event& e) {
  const uint64_t key = static_cast<uint64_t>(e.a) * 0x9e3779b97f4a7c15u ^ e.id;
  const Step step = e.step();
  if (e.kind() == EventKind::SliceLive) {
    open_[key] = {TensorRef{e.id}, run_at(e.time), e.a, e.b, step, step, e.time, e.time, true};
    newest_step_ = step;
    return;
  }
  const auto it = open_.find(key);
  if (it == open_.end()) return;  // its beginning was lost or lies before the recording
  SliceRect rect = it->second;
  open_.erase(it);
  rect.last = step;
  rect.end = std::max(e.time, rect.begin);
  rect.open = false;
  slices_.push_back(rect);
  slice_times_.add({rect.begin, rect.end});
}

void Session::apply(const std::shared_ptr<const GraphInfo>& graph) {
  if (!graph || !put(graphs_, graph->id, graph)) bad("a graph out of order");
}

void Session::apply(const std::shared_ptr<const PlanInfo>& plan) {
  if (!plan || !put(plans_, plan->id, plan)) bad("a plan out of order");
}

void Session::apply(const std::shared_ptr<const ContextInfo>& context) {
  if (!context || !put(contexts_, context->id, context)) bad("a context out of order");
}

void Session::apply(const DeviceInfo& device) {
  if (!put(devices_, device.id, device)) bad("a device out of order");
}

void Session::apply(const AllocatorInfo& allocator) {
  const auto same = [&](const AllocatorInfo& a) { return a.id == allocator.id; };
  const auto it = std::find_if(allocators_.begin(), allocators_.end(), same);
  if (it == allocators_.end()) {
    allocators_.push_back(allocator);
  } else {
    *it = allocator;
  }
}

void Session::apply(const CounterInfo& counter) {
  if (!put(counters_, counter.id, counter)) return bad("a counter out of order");
  counter_series_.resize(counters_.size());
}

void Session::apply(const NameInfo& name) {
  if (!name.id.valid() || name.id.index() > names_.size()) return bad("a name out of order");
  auto text = std::make_shared<const std::string>(name.text);
  if (name.id.index() == names_.size()) {
    names_.push_back(std::move(text));
  } else {
    names_.mutate(name.id.index()) = std::move(text);
  }
}

void Session::apply(const ThreadInfo& thread) {
  if (!thread.id.valid() || thread.id.index() > tracks_.size()) return bad("a thread out of order");
  if (thread.id.index() == tracks_.size()) tracks_.emplace_back().lanes.emplace_back();
  tracks_[thread.id.index()].info = thread;
}

void Session::apply(const RunInfo& run) {
  if (!run.id.valid() || run.id.index() != runs_.size() || run.id.value >= 0xffffff || !sensible_time(run.begin)) {
    return bad("a run out of order");
  }
  Run r;
  r.info = run;
  r.end = run.begin;
  runs_.push_back(std::move(r));
  begin_ = std::min(begin_, run.begin);
  end_ = std::max(end_, run.begin);
}

void Session::apply(const RunEnd& end) {
  if (!end.id.valid() || end.id.index() >= runs_.size() || !sensible_time(end.end)) return bad("an end of no run");
  Run& r = runs_.mutate(end.id.index());
  r.end = std::max(end.end, r.info.begin);
  r.finished = true;
  r.status = end.status;
  end_ = std::max(end_, r.end);
  if (end.id.value > 0) finish_barriers(RunId(end.id.value - 1));
}

void Session::apply(const Problem& problem) { problems_.push_back(problem); }

void Session::apply(const Loss& loss) {
  if (!loss.track.valid() || loss.track.index() >= tracks_.size() || loss.count < 0) return bad("a loss of no thread");
  tracks_[loss.track.index()].lost = add_saturated(tracks_[loss.track.index()].lost, loss.count);
  lost_ = add_saturated(lost_, loss.count);
}

int64_t Session::generation() const {
  std::lock_guard lock(mutex_);
  return generation_;
}

std::shared_ptr<const Snapshot> Session::snapshot() const {
  std::lock_guard lock(mutex_);
  if (!latest_) latest_ = make_snapshot();
  return latest_;
}

std::shared_ptr<const Snapshot> Session::make_snapshot() const {
  auto s = std::make_shared<Snapshot>();
  s->graphs = graphs_;
  s->plans = plans_;
  s->contexts = contexts_;
  s->devices = devices_;
  s->allocators = allocators_;
  s->counters = counters_;
  s->names = names_.view();
  s->problems = problems_.view();
  s->runs = runs_.view();
  for (const Track& t : tracks_) {
    TrackView view{t.info, {}, {}, t.lost};
    view.points = t.points.view();
    for (const Lane& lane : t.lanes) view.lanes.push_back({lane.rows.view(), lane.tree.view()});
    s->tracks.push_back(std::move(view));
  }
  if (begin_ <= end_) s->time = {begin_, end_};
  s->event_count = event_count_;
  s->lost = lost_;
  s->forgotten = forgotten_;
  s->generation = generation_;
  s->marks_base = marks_base_;
  for (const auto& column : node_stats_) s->node_stats.push_back(column.view());
  s->barriers = barriers_.view();
  s->barrier_times = barrier_times_.view();
  s->marks = marks_.view();
  for (size_t k = 0; k < kMemoryKinds; ++k) {
    s->active[k] = active_[k].view();
    s->reserved[k] = reserved_[k].view();
  }
  s->all_active = all_active_.view();
  s->all_reserved = all_reserved_.view();
  for (const Series& series : counter_series_) s->counter_series.push_back(series.view());
  s->memory_events = memory_events_.view();
  s->copies = copies_.view();
  s->context_events = context_events_.view();
  s->slices = slices_.view();
  for (const auto& [key, rect] : open_) {
    SliceRect r = rect;
    r.end = std::max(r.begin, s->time.end);
    r.last = Step(std::max(r.first.value, newest_step_.value) + 1);
    s->open_slices.push_back(r);
  }
  std::sort(s->open_slices.begin(), s->open_slices.end(), [](const SliceRect& x, const SliceRect& y) {
    return std::pair(x.offset, x.tensor) < std::pair(y.offset, y.tensor);
  });
  s->slice_times = slice_times_.view();
  s->seen = seen_.view();
  s->seen_times = seen_times_.view();
  return s;
}

size_t Session::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_locked();
}

size_t Session::bytes_locked() const {
  size_t sum = problems_.bytes() + runs_.bytes() + names_.bytes() + barriers_.bytes() + barrier_times_.bytes() +
               marks_.bytes() + memory_events_.bytes() + copies_.bytes() + context_events_.bytes() + slices_.bytes() +
               slice_times_.bytes() + seen_.bytes() + seen_times_.bytes();
  for (const Track& t : tracks_) {
    sum += t.points.bytes();
    for (const Lane& lane : t.lanes) sum += lane.rows.bytes() + lane.tree.bytes();
  }
  const auto series = [&](const Series& x) { sum += x.samples.bytes() + x.tree.bytes(); };
  for (size_t k = 0; k < kMemoryKinds; ++k) {
    series(active_[k]);
    series(reserved_[k]);
  }
  series(all_active_);
  series(all_reserved_);
  for (const Series& x : counter_series_) series(x);
  for (const auto& column : node_stats_) sum += column.bytes();
  return sum;
}

}  // namespace arenascope::trace
