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
  sinks_.add(std::move(sink));
}

void Recorder::remove_sink(const Sink* sink) {
  std::lock_guard drain_lock(drain_mutex_);
  drain_locked(true);
  sinks_.remove(sink);
}

ThreadRing* RecorderInput::register_thread(std::string name, TrackKind kind, DeviceId device) {
  std::lock_guard lock(mutex_);
  const TrackId id(rings_.size());
  auto ring = std::make_unique<ThreadRing>(id, ring_events_, clock_);
  make_room(rings_, 1);
  queue_locked(ThreadInfo{id, std::move(name), kind, device, 0, 0});
  rings_.push_back(std::move(ring));
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

namespace {

// How far a ring is read.
struct RingCut {
  ThreadRing* ring;
  uint64_t first;   // head when the first ring was read
  uint64_t second;  // head when all rings had been read once
  uint64_t until;
};

// The newest end of the events before the first heads.
Nanoseconds newest_end(const std::vector<RingCut>& cuts) {
  Nanoseconds newest = INT64_MIN;
  for (const RingCut& cut : cuts)
    for (uint64_t at = cut.ring->tail(); at != cut.first; ++at) newest = std::max(newest, cut.ring->at(at).end());
  return newest;
}

void read_until(std::vector<RingCut>& cuts, Nanoseconds time) {
  for (RingCut& cut : cuts)
    for (cut.until = cut.ring->tail(); cut.until != cut.second && cut.ring->at(cut.until).end() <= time;) ++cut.until;
}

}  // namespace

// Passes on what is queued; run ends are kept in ends_.
void Recorder::dispatch(std::vector<Description>& queued) {
  for (Description& description : queued) {
    if (const auto* end = std::get_if<RunEnd>(&description)) {
      ends_.push_back(*end);
      continue;
    }
    sinks_.describe(description);
    if (!std::holds_alternative<Problem>(description)) descriptions_.add(std::move(description));
  }
}

// Takes the queue of descriptions. Nothing is taken if an allocation fails.
std::vector<Description> Recorder::take_queue() {
  std::vector<Description> queued;
  std::lock_guard lock(input_->mutex_);
  descriptions_.reserve(input_->queue_.size() + ends_.size());
  ends_.reserve(ends_.size() + input_->queue_.size());
  queued.swap(input_->queue_);
  return queued;
}

// All heads are read twice. If an event is before the first heads, then everything that was recorded before its end was
// measured is before the second heads: the events up to the newest one before the first heads include all that they depend on.
//
// The queue of descriptions is taken before and after. A run whose end was queued by then has all of its events before
// the first heads; an end that was queued later is kept for the next drain, with all events after it. Everything that an
// event refers to is in one of both parts.
//
// Memory is allocated before events are taken, so that std::bad_alloc leaves the rings unchanged.
void Recorder::drain_locked(bool last) {
  std::vector<RingCut> cuts;
  EventSorter sorter;
  {
    std::lock_guard lock(input_->mutex_);
    cuts.reserve(input_->rings_.size());
    reported_lost_.resize(input_->rings_.size(), 0);
    for (const auto& ring : input_->rings_) cuts.push_back({ring.get(), 0, 0, 0});
  }
  std::vector<Description> queued = take_queue();
  dispatch(queued);
  const size_t over = ends_.size();
  for (RingCut& cut : cuts) cut.first = cut.ring->head();
  for (RingCut& cut : cuts) cut.second = cut.ring->head();
  queued = take_queue();
  dispatch(queued);
  Nanoseconds until = newest_end(cuts);
  for (size_t i = over; i < ends_.size(); ++i) until = std::min(until, ends_[i].end);
  read_until(cuts, until);
  for (const RingCut& cut : cuts) sorter.reserve(cut.ring->track(), cut.ring->waiting(cut.until));
  sorter.reserve_ends(over);
  for (size_t i = 0; i < cuts.size(); ++i) {
    ThreadRing& ring = *cuts[i].ring;
    ring.consume(cuts[i].until, [&](std::span<const Event> events) { sorter.add(ring.track(), events); });
    const int64_t lost = ring.lost();
    if (lost == reported_lost_[i]) continue;
    sinks_.describe(Loss{ring.track(), lost - reported_lost_[i], now()});
    reported_lost_[i] = lost;
  }
  for (size_t i = 0; i < over; ++i) {
    sorter.add(ends_[i]);
    descriptions_.add(ends_[i]);
  }
  sorter.drain_all(sinks_);
  ends_.erase(ends_.begin(), ends_.begin() + static_cast<ptrdiff_t>(over));
  sinks_.flush();
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
    for (const RunEnd& end : ends_) sinks_.describe(end);
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
