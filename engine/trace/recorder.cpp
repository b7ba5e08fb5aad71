// SPDX-License-Identifier: MIT
#include <arenascope/trace/recorder.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

#include <fcntl.h>
#include <unistd.h>

namespace arenascope::trace {

namespace {

// Resident memory of the process in bytes; 0 if unknown. Allocates nothing, because it is also called when
// no memory is left.
Bytes resident_bytes() {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[96];
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return 0;
  text[size] = '\0';
  char* end = nullptr;
  (void)std::strtoll(text, &end, 10);  // all of its addresses
  return static_cast<Bytes>(std::strtoll(end, nullptr, 10)) * sysconf(_SC_PAGESIZE);
}

// Reserves space for `more` elements, so that adding them cannot fail: an id is assigned only with its description.
template <class T>
void make_room(std::vector<T>& in, size_t more) {
  if (in.capacity() - in.size() < more) in.reserve(std::max(in.size() + more, 2 * in.capacity()));
}

}  // namespace

RecorderInput::RecorderInput(size_t ring_events)
    : ring_events_(std::bit_ceil(std::max<size_t>(ring_events, 16))), clock_(Clock::calibrated()) {}

Recorder::Recorder(Options options) : input_(std::make_shared<RecorderInput>(options.ring_events)) {}

Recorder::~Recorder() {
  stop();
  std::lock_guard lock(input_->mutex_);
  input_->closed_ = true;
  input_->queue_.clear();
}

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

ThreadRing* RecorderInput::register_thread(std::string name, TrackKind kind, DeviceId device) {
  std::lock_guard lock(mutex_);
  const TrackId id(rings_.size());
  auto ring = std::make_unique<ThreadRing>(id, ring_events_, clock_);
  make_room(rings_, 1);
  make_room(merged_, 1);
  queue_locked(ThreadInfo{id, std::move(name), kind, device, 0, 0});
  rings_.push_back(std::move(ring));
  merged_.push_back(kind == TrackKind::Other);
  return rings_.back().get();
}

// Assigns the next id, unless the object equals one of `newest`, which keeps its own. Null: every object is new.
template <class T>
auto RecorderInput::describe_locked(T info, int32_t& count, Newest<T>* newest) {
  constexpr size_t kCompared = 64;
  if (newest != nullptr)
    for (const auto& known : *newest) {
      info.id = known->id;
      if (info == *known) return known->id;
    }
  using Id = decltype(info.id);
  const Id id(count);
  info.id = id;
  auto shared = std::make_shared<const T>(std::move(info));
  make_room(queue_, 1);
  if (newest != nullptr) {
    newest->push_back(shared);
    if (newest->size() > kCompared) newest->pop_front();
  }
  queue_locked(std::move(shared));
  ++count;
  return id;
}

GraphId RecorderInput::describe(GraphInfo info) {
  std::lock_guard lock(mutex_);
  const bool again = info.continuation_of.valid();
  return describe_locked(std::move(info), graphs_, again ? &newest_graphs_ : nullptr);
}

PlanId RecorderInput::describe(PlanInfo info) {
  std::lock_guard lock(mutex_);
  const bool again = std::ranges::find(newest_graphs_, info.graph, &GraphInfo::id) != newest_graphs_.end();
  return describe_locked(std::move(info), plans_, again ? &newest_plans_ : nullptr);
}

ContextId RecorderInput::describe(ContextInfo info) {
  std::lock_guard lock(mutex_);
  const bool again = !info.objects.empty();  // an empty one is going to be updated
  return describe_locked(std::move(info), contexts_, again ? &newest_contexts_ : nullptr);
}

void Recorder::update(ContextInfo info) { input_->update(std::move(info)); }

void RecorderInput::update(ContextInfo info) {
  std::lock_guard lock(mutex_);
  std::erase_if(newest_contexts_, [&](const auto& known) { return known->id == info.id; });
  queue_locked(std::make_shared<const ContextInfo>(std::move(info)));
}

DeviceId RecorderInput::describe(DeviceInfo info) {
  std::lock_guard lock(mutex_);
  for (const DeviceInfo& known : devices_) {
    info.id = known.id;
    if (info == known) return known.id;
  }
  info.id = DeviceId(devices_.size());
  make_room(devices_, 1);
  queue_locked(info);
  devices_.push_back(std::move(info));
  return devices_.back().id;
}

CounterId RecorderInput::describe(CounterInfo info) {
  std::lock_guard lock(mutex_);
  info.id = CounterId(counters_);
  queue_locked(std::move(info));
  return CounterId(counters_++);
}

uint32_t RecorderInput::describe(AllocatorInfo info) {
  std::lock_guard lock(mutex_);
  for (const AllocatorInfo& known : allocators_) {
    info.id = known.id;
    if (info == known) return known.id;
  }
  info.id = static_cast<uint32_t>(allocators_.size());
  make_room(allocators_, 1);
  queue_locked(info);
  allocators_.push_back(std::move(info));
  return allocators_.back().id;
}

NameId RecorderInput::name(std::string_view text) {
  std::lock_guard lock(mutex_);
  const auto known = names_.find(std::string(text));
  if (known != names_.end()) return known->second;
  const NameId id(names_.size());
  make_room(queue_, 1);
  NameInfo info{id, std::string(text)};
  names_.emplace(text, id);
  queue_locked(std::move(info));
  return id;
}

void Recorder::problem(Problem problem) { input_->queue(std::move(problem)); }

void Recorder::describe(TuningInfo tuning) { input_->queue(std::move(tuning)); }

void Recorder::describe(ClockInfo clock) { input_->queue(clock); }

void Recorder::describe(AllocatorState state) { input_->queue(std::move(state)); }

void Recorder::describe(PoolInfo pool) { input_->queue(std::move(pool)); }

void Recorder::describe(ReplayInfo replay) { input_->queue(replay); }

RunId RecorderInput::describe(RunInfo info) {
  std::lock_guard lock(mutex_);
  info.id = RunId(runs_);
  queue_locked(std::move(info));
  return RunId(runs_++);
}

RunId Recorder::begin_run(RunInfo info) {
  note_resident();
  if (info.begin == 0) info.begin = now();
  return input_->describe(std::move(info));
}

void Recorder::end_run(RunEnd end) {
  if (end.end == 0) end.end = now();
  input_->queue(end);
  note_resident();
}

void Recorder::note_resident() {
  std::lock_guard lock(resident_mutex_);
  if (resident_ring_ == nullptr) return;
  if (const Bytes bytes = resident_bytes(); bytes > 0)
    resident_ring_->record(counter(now(), resident_, static_cast<double>(bytes)));
}

int64_t RecorderInput::lost() const {
  std::lock_guard lock(mutex_);
  int64_t sum = 0;
  for (const auto& ring : rings_) sum += ring->lost();
  return sum;
}

void RecorderInput::queue(Description description) {
  std::lock_guard lock(mutex_);
  queue_locked(std::move(description));
}

void RecorderInput::queue_locked(Description description) {
  if (!closed_) queue_.push_back(std::move(description));
}

void Recorder::drain() {
  std::lock_guard drain_lock(drain_mutex_);
  try {
    drain_locked(false);
  } catch (const std::bad_alloc&) {  // what was not taken is still there
  }
}

void Recorder::dispatch(const Description& description) {
  for (const auto& sink : sinks_) sink->describe(description);
}

// Events of several allocators are merged by time: a block that one frees and another allocates is pending until then.
void Recorder::dispatch_merged(std::vector<PendingTrack>& pending) {
  while (true) {
    size_t next = pending.size();
    Nanoseconds other = INT64_MAX;  // when the next event of another track is due
    for (size_t i = 0; i < pending.size(); ++i) {
      if (pending[i].handed == pending[i].events.size()) continue;
      const Nanoseconds time = pending[i].events[pending[i].handed].time;
      if (next == pending.size() || time < pending[next].events[pending[next].handed].time) {
        if (next != pending.size()) other = pending[next].events[pending[next].handed].time;
        next = i;
      } else {
        other = std::min(other, time);
      }
    }
    if (next == pending.size()) return;
    const std::vector<Event>& events = pending[next].events;
    size_t end = pending[next].handed + 1;
    while (end < events.size() && events[end].time <= other) ++end;
    for (const auto& sink : sinks_)
      sink->events(pending[next].track,
                   std::span<const Event>(events).subspan(pending[next].handed, end - pending[next].handed));
    pending[next].handed = end;
  }
}

// Order matters. Heads are read before the queue is taken, so that everything that an event refers to has been described
// before it. A run's end is held back until the next drain, whose heads are after all of that run's events.
//
// Memory is allocated before anything is taken, so that std::bad_alloc leaves the rings unchanged.
void Recorder::drain_locked(bool last) {
  RecorderInput& in = *input_;
  std::vector<std::pair<ThreadRing*, uint64_t>> heads;
  std::vector<Description> fresh, ends;
  std::vector<bool> merged;
  std::vector<PendingTrack> others;
  {
    std::lock_guard lock(in.mutex_);
    merged = in.merged_;
    heads.reserve(in.rings_.size());
    for (const auto& ring : in.rings_) heads.emplace_back(ring.get(), ring->head());
    reported_lost_.resize(heads.size(), 0);
    for (size_t i = 0; i < heads.size(); ++i)
      if (merged[i]) {
        others.push_back({heads[i].first->track(), {}});
        others.back().events.reserve(heads[i].first->waiting(heads[i].second));
      }
    descriptions_.reserve(in.queue_.size() + ends_.size());
    ends.reserve(in.queue_.size());
    fresh.swap(in.queue_);
  }
  for (Description& d : fresh) {
    if (std::holds_alternative<RunEnd>(d)) {
      ends.push_back(std::move(d));
      continue;
    }
    dispatch(d);
    if (!std::holds_alternative<Problem>(d)) descriptions_.add(std::move(d));
  }
  size_t other = 0;
  for (size_t i = 0; i < heads.size(); ++i) {
    auto& ring = heads[i].first;  // Clang 14 cannot capture a structured binding
    std::vector<Event>* const kept = merged[i] ? &others[other++].events : nullptr;
    ring->consume(heads[i].second, [&](std::span<const Event> events) {
      if (kept) return kept->insert(kept->end(), events.begin(), events.end()), void();
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
    descriptions_.add(d);
  }
  ends_ = std::move(ends);
  for (const auto& sink : sinks_) sink->flush();
  if (last && !ends_.empty()) drain_locked(false);
}

void Recorder::start(Nanoseconds interval) {
  std::lock_guard control_lock(control_mutex_);
  if (thread_.joinable()) return;
  stopping_ = false;  // no thread reads it
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
  std::lock_guard control_lock(control_mutex_);
  {
    std::lock_guard lock(thread_mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  std::lock_guard drain_lock(drain_mutex_);
  try {
    drain_locked(true);
  } catch (const std::bad_alloc&) {  // they are not drained later
    drop_locked();
    for (const Description& end : ends_) dispatch(end);
    ends_.clear();
  }
}

// Counts the events in the rings as lost.
void Recorder::drop_locked() {
  std::lock_guard lock(input_->mutex_);
  for (const auto& ring : input_->rings_) {
    int64_t dropped = 0;
    ring->consume(ring->head(), [&](std::span<const Event> events) { dropped += static_cast<int64_t>(events.size()); });
    ring->lose(dropped);
  }
}

}  // namespace arenascope::trace
