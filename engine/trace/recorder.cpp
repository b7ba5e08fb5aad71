// SPDX-License-Identifier: MIT
#include <arenascope/trace/recorder.h>

#include <algorithm>
#include <bit>
#include <fstream>

#include <unistd.h>

namespace arenascope::trace {

namespace {

// Resident memory of the process in bytes; 0 if the system does not report it.
Bytes resident_bytes() {
  std::ifstream in("/proc/self/statm");
  Bytes all = 0, resident = 0;
  return in >> all >> resident ? resident * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace

Recorder::Recorder(Options options) : options_(options), clock_(Clock::calibrated()) {}

Recorder::~Recorder() { stop(); }

void Recorder::add_sink(std::shared_ptr<Sink> sink) {
  std::lock_guard drain_lock(drain_mutex_);
  drain_locked(false);
  for (const Description& d : descriptions_) sink->describe(d);
  sinks_.push_back(std::move(sink));
}

void Recorder::remove_sink(const Sink* sink) {
  std::lock_guard drain_lock(drain_mutex_);
  drain_locked(true);
  std::erase_if(sinks_, [&](const auto& s) { return s.get() == sink; });
}

ThreadRing* Recorder::register_thread(std::string name, TrackKind kind, DeviceId device) {
  const size_t capacity = std::bit_ceil(std::max<size_t>(options_.ring_events, 16));
  std::lock_guard lock(mutex_);
  const TrackId id(rings_.size());
  rings_.push_back(std::make_unique<ThreadRing>(id, capacity, clock_));
  merged_.push_back(kind == TrackKind::Other);
  queue_locked(ThreadInfo{id, std::move(name), kind, device, 0, 0});
  return rings_.back().get();
}

GraphId Recorder::describe(GraphInfo info) {
  auto shared = std::make_shared<GraphInfo>(std::move(info));
  std::lock_guard lock(mutex_);
  shared->id = GraphId(graphs_++);
  const GraphId id = shared->id;
  queue_locked(std::shared_ptr<const GraphInfo>(std::move(shared)));
  return id;
}

PlanId Recorder::describe(PlanInfo info) {
  auto shared = std::make_shared<PlanInfo>(std::move(info));
  std::lock_guard lock(mutex_);
  shared->id = PlanId(plans_++);
  const PlanId id = shared->id;
  queue_locked(std::shared_ptr<const PlanInfo>(std::move(shared)));
  return id;
}

ContextId Recorder::describe(ContextInfo info) {
  auto shared = std::make_shared<ContextInfo>(std::move(info));
  std::lock_guard lock(mutex_);
  shared->id = ContextId(contexts_++);
  const ContextId id = shared->id;
  queue_locked(std::shared_ptr<const ContextInfo>(std::move(shared)));
  return id;
}

void Recorder::update(ContextInfo info) { queue(std::make_shared<const ContextInfo>(std::move(info))); }

DeviceId Recorder::describe(DeviceInfo info) {
  std::lock_guard lock(mutex_);
  for (const DeviceInfo& known : devices_) {
    info.id = known.id;
    if (info == known) return known.id;
  }
  info.id = DeviceId(devices_.size());
  devices_.push_back(info);
  queue_locked(std::move(info));
  return devices_.back().id;
}

CounterId Recorder::describe(CounterInfo info) {
  std::lock_guard lock(mutex_);
  info.id = CounterId(counters_++);
  const CounterId id = info.id;
  queue_locked(std::move(info));
  return id;
}

uint32_t Recorder::describe(AllocatorInfo info) {
  std::lock_guard lock(mutex_);
  for (const AllocatorInfo& known : allocators_) {
    info.id = known.id;
    if (info == known) return known.id;
  }
  info.id = static_cast<uint32_t>(allocators_.size());
  allocators_.push_back(info);
  queue_locked(std::move(info));
  return allocators_.back().id;
}

NameId Recorder::name(std::string_view text) {
  std::lock_guard lock(mutex_);
  const auto [it, fresh] = names_.try_emplace(std::string(text), NameId(names_.size()));
  if (fresh) queue_locked(NameInfo{it->second, it->first});
  return it->second;
}

void Recorder::problem(Problem problem) { queue(std::move(problem)); }

void Recorder::describe(TuningInfo tuning) { queue(std::move(tuning)); }

void Recorder::describe(ClockInfo clock) { queue(clock); }

void Recorder::describe(AllocatorState state) { queue(std::move(state)); }

void Recorder::describe(PoolInfo pool) { queue(std::move(pool)); }

void Recorder::describe(ReplayInfo replay) { queue(replay); }

RunId Recorder::begin_run(RunInfo info) {
  note_resident();
  if (info.begin == 0) info.begin = now();
  std::lock_guard lock(mutex_);
  info.id = RunId(runs_++);
  const RunId id = info.id;
  queue_locked(std::move(info));
  return id;
}

void Recorder::end_run(RunEnd end) {
  if (end.end == 0) end.end = now();
  queue(end);
  note_resident();
}

void Recorder::note_resident() {
  std::lock_guard lock(resident_mutex_);
  if (resident_ring_ == nullptr) return;
  if (const Bytes bytes = resident_bytes(); bytes > 0)
    resident_ring_->record(counter(now(), resident_, static_cast<double>(bytes)));
}

int64_t Recorder::lost() const {
  std::lock_guard lock(mutex_);
  int64_t sum = 0;
  for (const auto& ring : rings_) sum += ring->lost();
  return sum;
}

void Recorder::queue(Description description) {
  std::lock_guard lock(mutex_);
  queue_locked(std::move(description));
}

void Recorder::queue_locked(Description description) { queue_.push_back(std::move(description)); }

void Recorder::drain() {
  std::lock_guard drain_lock(drain_mutex_);
  drain_locked(false);
}

void Recorder::dispatch(const Description& description) {
  for (const auto& sink : sinks_) sink->describe(description);
}

// Merges allocator tracks by time: a block may be freed on one track before another track reuses its memory.
void Recorder::dispatch_merged(const std::vector<PendingTrack>& pending) {
  std::vector<size_t> at(pending.size(), 0);
  while (true) {
    size_t next = pending.size();
    Nanoseconds other = INT64_MAX;  // when the next event of another track is due
    for (size_t i = 0; i < pending.size(); ++i) {
      if (at[i] == pending[i].events.size()) continue;
      const Nanoseconds time = pending[i].events[at[i]].time;
      if (next == pending.size() || time < pending[next].events[at[next]].time) {
        if (next != pending.size()) other = pending[next].events[at[next]].time;
        next = i;
      } else {
        other = std::min(other, time);
      }
    }
    if (next == pending.size()) return;
    const std::vector<Event>& events = pending[next].events;
    size_t end = at[next] + 1;
    while (end < events.size() && events[end].time <= other) ++end;
    for (const auto& sink : sinks_)
      sink->events(pending[next].track, std::span<const Event>(events).subspan(at[next], end - at[next]));
    at[next] = end;
  }
}

// The order matters. Ring heads are read before the queue is taken, so everything that an event refers to has been
// described before it. A run's end is held back until the next drain, whose heads include all events of that run.
void Recorder::drain_locked(bool last) {
  std::vector<std::pair<ThreadRing*, uint64_t>> heads;
  std::vector<Description> fresh;
  std::vector<bool> merged;
  {
    std::lock_guard lock(mutex_);
    merged = merged_;
    heads.reserve(rings_.size());
    for (const auto& ring : rings_) heads.emplace_back(ring.get(), ring->head());
    fresh.swap(queue_);
  }
  std::vector<Description> ends;
  for (Description& d : fresh) {
    if (std::holds_alternative<RunEnd>(d)) {
      ends.push_back(std::move(d));
      continue;
    }
    dispatch(d);
    if (!std::holds_alternative<Problem>(d)) descriptions_.push_back(std::move(d));
  }
  reported_lost_.resize(heads.size(), 0);
  std::vector<PendingTrack> others;
  for (size_t i = 0; i < heads.size(); ++i) {
    auto& [ring, head] = heads[i];
    if (merged[i]) others.push_back({ring->track(), {}});
    ring->consume(head, [&](std::span<const Event> events) {
      if (merged[i])
        return others.back().events.insert(others.back().events.end(), events.begin(), events.end()), void();
      for (const auto& sink : sinks_) sink->events(ring->track(), events);
    });
    const int64_t lost = ring->lost();
    if (lost != reported_lost_[i]) {
      dispatch(Loss{ring->track(), lost - reported_lost_[i], now()});
      reported_lost_[i] = lost;
    }
  }
  dispatch_merged(others);
  for (const Description& d : ends_) {
    dispatch(d);
    descriptions_.push_back(d);
  }
  ends_ = std::move(ends);
  for (const auto& sink : sinks_) sink->flush();
  if (last && !ends_.empty()) drain_locked(false);
}

void Recorder::start(Nanoseconds interval) {
  std::lock_guard lock(thread_mutex_);
  if (thread_.joinable()) return;
  stopping_ = false;
  {
    std::lock_guard resident_lock(resident_mutex_);
    if (resident_ring_ == nullptr) {
      resident_ = describe(CounterInfo{{}, "resident memory", "bytes", CounterRole::Resident});
      resident_ring_ = register_thread("process", TrackKind::Other);
    }
  }
  note_resident();
  thread_ = std::thread([this, interval] {
    std::unique_lock thread_lock(thread_mutex_);
    while (!stopping_) {
      wake_.wait_for(thread_lock, std::chrono::nanoseconds(interval));
      thread_lock.unlock();
      note_resident();
      drain();
      thread_lock.lock();
    }
  });
}

void Recorder::stop() {
  {
    std::lock_guard lock(thread_mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  std::lock_guard drain_lock(drain_mutex_);
  drain_locked(true);
}

}  // namespace arenascope::trace
