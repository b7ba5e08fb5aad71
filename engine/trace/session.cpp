// SPDX-License-Identifier: MIT
#include <arenascope/trace/session.h>
#include "engine/trace/address_space_tracker.h"
#include "engine/trace/saturate.h"

#include <algorithm>
#include <map>
#include <new>
#include <set>
#include <string_view>

namespace arenascope::trace {

namespace {

// Stores `value` at its id in a table that grows by one element. False for an id beyond that.
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

// The row of a run that is forgotten.
Run blank_run() {
  Run run;
  run.evicted = true;
  return run;
}

}  // namespace

void Session::describe(const Description& description) {
  std::lock_guard lock(mutex_);
  latest_.reset();
  ++generation_;
  try {
    std::visit([this](const auto& d) { apply(d); }, description);
  } catch (const std::bad_alloc&) {
    bad("out of memory");
  }
}

void Session::events(std::span<const TrackEvent> events) {
  std::lock_guard lock(mutex_);
  latest_.reset();
  ++generation_;
  try {
    for (const auto& [track, event] : events) {
      if (!track.valid() || track.index() >= tracks_.size()) {
        bad("events of an undescribed thread");
      } else if (sensible(event)) {
        add(track, event);
      } else {
        bad("an event with invalid numbers");
      }
    }
    if (options_.max_bytes != 0 && bytes_locked() > options_.max_bytes) evict_older_half();
  } catch (const std::bad_alloc&) {
    bad("out of memory");
  }
}

void Session::bad(const char* what) {
  if (bad_) return;
  try {
    problems_.push_back({Severity::Error, std::string("Some data was skipped; first reason: ") + what + ".",
                         end_ == INT64_MIN ? 0 : end_, RunId::none(), NodeId::none(), ProblemKind::LeftOut});
    bad_ = true;
  } catch (const std::bad_alloc&) {  // reported with the next one
  }
}

void Session::apply(const std::shared_ptr<const GraphInfo>& graph) {
  if (!graph || !put(graphs_, graph->id, graph)) bad("a graph out of order");
}

void Session::apply(const std::shared_ptr<const PlanInfo>& plan) {
  if (!plan || !put(plans_, plan->id, plan)) return bad("a plan out of order");
  if (plan->id.index() < plan_steps_.size()) plan_steps_[plan->id.index()].reset();
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
  // A recording may begin with a later run than the first.
  const bool next = run.id.valid() && (runs_.empty() || run.id.index() == runs_.size());
  if (!next || run.id.value >= 0xffffff || !is_sensible_time(run.begin)) return bad("a run out of order");
  if (runs_.empty()) {
    runs_.append_blank(run.id.index(), blank_run());
    forgotten_runs_ = run.id.index();
  }
  Run r;
  r.info = run;
  r.end = run.begin;
  r.cold = ran_.emplace(run.graph, run.plan).second;
  run_text_bytes_ += text_bytes(run);
  runs_.push_back(std::move(r));
  begin_ = std::min(begin_, run.begin);
  end_ = std::max(end_, run.begin);
}

namespace {

// Backends of devices whose queue is recorded.
template <class Tracks, class Devices>
std::set<std::string_view> queue_backends(const Tracks& tracks, const Devices& devices) {
  std::set<std::string_view> out;
  for (size_t t = 0; t < tracks.size(); ++t) {
    const ThreadInfo& info = tracks[t].info;
    if (info.kind != TrackKind::DeviceQueue || !info.device.valid() || info.device.index() >= devices.size()) continue;
    if (const std::string& backend = devices[info.device.index()].backend; !backend.empty()) out.insert(backend);
  }
  return out;
}

// The time of a node that its device did not report is unknown: the host's span of it only measures queueing.
void drop_queueing(RunTable& table, const GraphInfo& graph, const std::set<std::string_view>& backends) {
  for (size_t i = 0; i < std::min(table.nodes.size(), graph.nodes.size()) && !backends.empty(); ++i)
    if (table.nodes[i].device.count == 0 && backends.contains(graph.nodes[i].backend)) table.nodes[i].host = {};
}

}  // namespace

void Session::apply(const RunEnd& end) {
  if (end.id.valid() && end.id.index() < forgotten_runs_) return;
  if (!known_run(end.id).valid() || !is_sensible_time(end.end)) return bad("the end of an unknown run");
  Run& r = runs_.mutate(end.id.index());
  r.end = std::max(end.end, r.info.begin);
  r.finished = true;
  r.status = end.status;
  end_ = std::max(end_, r.end);
  r.info.stepped = r.info.stepped || end.stepped;
  finish_derived(r);
  const GraphId graph = r.info.graph;
  if (r.table && graph.valid() && graph.index() < graphs_.size() && graphs_[graph.index()])
    if (RunTable* table = table_of(end.id))
      drop_queueing(*table, *graphs_[graph.index()], queue_backends(tracks_, devices_));
  if (end.id.value > 0) finish_barriers(RunId(end.id.value - 1));
  std::erase_if(open_tables_, [&](const OpenTable& open) { return open.run.value + 2 < end.id.value; });
}

void Session::apply(const Problem& problem) { problems_.push_back(problem); }

void Session::apply(const TuningInfo& tuning) { tunings_.push_back(tuning); }

void Session::apply(const StackInfo& stack) {
  const auto known = [&](NameId name) { return !name.valid() || name.index() < names_.size(); };
  for (const StackFrame& frame : stack.frames)
    if (!known(frame.function) || !known(frame.file)) return bad("a stack with undescribed names");
  if (!std::is_sorted(stack.allocations.begin(), stack.allocations.end())) return bad("a stack out of order");
  stacks_.push_back(stack);
}

// Replaces an earlier description of the same object.
template <class T, class Key>
void Session::keep_newest(std::vector<T>& list, const T& update, Key T::*key) {
  const auto known = std::find_if(list.begin(), list.end(), [&](const T& one) { return one.*key == update.*key; });
  if (known == list.end())
    list.push_back(update);
  else
    *known = update;
}

void Session::apply(const ClockInfo& clock) { keep_newest(clocks_, clock, &ClockInfo::device); }
void Session::apply(const AllocatorState& state) { keep_newest(allocator_states_, state, &AllocatorState::allocator); }
void Session::apply(const PoolInfo& pool) { keep_newest(pools_, pool, &PoolInfo::device); }
void Session::apply(const SourceInfo& source) { source_ = source; }
void Session::apply(const AnnotationInfo& annotations) { annotations_ = annotations; }
void Session::apply(const ReplayInfo& replay) { keep_newest(replays_, replay, &ReplayInfo::device); }

void Session::apply(const Loss& loss) {
  if (!loss.track.valid() || loss.track.index() >= tracks_.size() || loss.count < 0)
    return bad("lost events of an unknown thread");
  tracks_[loss.track.index()].lost = add_saturated(tracks_[loss.track.index()].lost, loss.count);
  lost_ = add_saturated(lost_, loss.count);
  // The event has no run id: the loss is attributed to all active runs, or else to the newest run.
  bool found = false;
  for (size_t i = runs_.size(); i-- > forgotten_runs_ && i + 64 > runs_.size();) {
    if (runs_[i].finished) continue;
    Run& run = runs_.mutate(i);
    run.lost = add_saturated(run.lost, loss.count);
    found = true;
  }
  if (found || runs_.empty()) return;
  Run& newest = runs_.mutate(runs_.size() - 1);
  newest.lost = add_saturated(newest.lost, loss.count);
}

std::shared_ptr<const Snapshot> Session::snapshot() const {
  std::lock_guard lock(mutex_);
  if (!latest_) latest_ = make_snapshot();
  return latest_;
}

std::shared_ptr<const Snapshot> Session::try_snapshot() const {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return nullptr;
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
  s->tunings = tunings_.view();
  s->stacks = stacks_.view();
  s->bytes = bytes_locked();
  s->runs = runs_.view();
  s->forgotten_runs = forgotten_runs_;
  for (const Track& t : tracks_) {
    TrackView view{t.info, {}, {}, t.lost};
    view.points = t.points.view();
    for (const Lane& lane : t.lanes) view.lanes.push_back({lane.rows.view(), lane.tree.view()});
    s->tracks.push_back(std::move(view));
  }
  if (begin_ <= end_) s->time = {begin_, end_};
  s->event_count = event_count_;
  s->lost = lost_;
  s->forgotten = evicted_;
  s->generation = generation_;
  s->marks_base = marks_base_;
  for (const auto& column : node_votes_) s->node_votes.push_back(column.view());
  for (const OpenTable& open : open_tables_) open.shared = true;
  s->clocks = clocks_;
  s->allocator_states = allocator_states_;
  s->pools = pools_;
  s->replays = replays_;
  s->source = source_;
  s->annotations = annotations_;
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
  spaces_->view(*s);
  s->slices = slices_.view();
  add_open_slices(*s);
  s->slice_times = slice_times_.view();
  s->seen = seen_.view();
  s->access_times = seen_times_.view();
  return s;
}

void Session::add_open_slices(Snapshot& s) const {
  std::map<RunId, Step> newest;  // current step of each run that has open slices
  for (const auto& [key, rects] : open_) {
    for (ArenaAllocation r : rects) {
      const Run* run = known_run(r.run).valid() ? &runs_[r.run.index()] : nullptr;
      const auto [known, fresh] = newest.try_emplace(r.run, run == nullptr ? newest_step_ : Step());
      for (size_t m = 0; fresh && run != nullptr && m < run->marks; ++m) {
        if (run->first_mark + m < marks_base_) continue;
        const StepMark& mark = marks_[run->first_mark + m - marks_base_];
        if (mark.run == r.run) known->second = std::max(known->second, mark.step);
      }
      // After a run that ended early or lost events, no slices stay live into the next run.
      r.end = std::max(r.begin, run != nullptr && run->finished ? run->end : s.time.end);
      r.open = run == nullptr || !run->finished;
      r.last = Step(std::max(r.first, known->second).value + 1);
      s.open_slices.push_back(r);
    }
  }
  std::sort(s.open_slices.begin(), s.open_slices.end(), [](const ArenaAllocation& x, const ArenaAllocation& y) {
    return std::pair(x.offset, x.tensor) < std::pair(y.offset, y.tensor);
  });
}

// Heap memory of the texts and lists of a run's description.
size_t Session::text_bytes(const RunInfo& run) {
  size_t sum = run.affinity.size() * sizeof(int32_t);
  for (const std::string* text : {&run.backend, &run.strategy, &run.processor, &run.build})
    if (text->size() > std::string().capacity()) sum += text->size() + 1;
  return sum;
}

// Blanks the oldest runs that ended before `keep`, as far as runs hold more than an eighth of the memory limit.
void Session::forget_runs(Nanoseconds keep) {
  const auto runs_bytes = [&] { return runs_.bytes() + run_text_bytes_; };
  size_t end = forgotten_runs_;
  size_t text = 0;  // text bytes of the runs to forget
  const size_t most = options_.max_bytes / 8;
  while (end + 1 < runs_.size() && runs_[end].end < keep && !runs_[end].table &&
         runs_bytes() > most + text + (end - forgotten_runs_) * sizeof(Run))
    text += text_bytes(runs_[end++].info);
  end -= end % kColumnRows;
  if (end <= forgotten_runs_) return;
  for (size_t i = forgotten_runs_; i < end; ++i) run_text_bytes_ -= text_bytes(runs_[i].info);
  runs_.blank_front(end, blank_run());
  forgotten_runs_ = end;
}

size_t Session::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_locked();
}

size_t Session::bytes_locked() const {
  size_t sum = problems_.bytes() + tunings_.bytes() + stacks_.bytes() + runs_.bytes() + names_.bytes() +
               barriers_.bytes() + barrier_times_.bytes() + marks_.bytes() + memory_events_.bytes() + copies_.bytes() +
               context_events_.bytes() + slices_.bytes() + slice_times_.bytes() + seen_.bytes() + seen_times_.bytes();
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
  for (const auto& column : node_votes_) sum += column.bytes();
  sum += table_bytes_ + run_text_bytes_ + spaces_->bytes();
  return sum;
}

}  // namespace arenascope::trace
