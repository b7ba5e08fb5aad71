// SPDX-License-Identifier: MIT
#include <arenascope/trace/event_sorter.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace arenascope::trace {

namespace {

constexpr size_t kBatch = 4096;
constexpr size_t kMaxHeld = size_t{1} << 18;  // events of a round; a longer one is taken as several

// The order of events of different tracks that ended at the same time.
int rank(const Event& event) {
  switch (event.kind()) {
    case EventKind::Free:
    case EventKind::Release:
    case EventKind::Between: return 0;
    default: return 1;
  }
}

bool ends_before(const Event& x, const Event& y) { return x.end() < y.end(); }

}  // namespace

EventSorter::EventSorter() { batch_.reserve(kBatch); }

EventSorter::Queue& EventSorter::queue_of(TrackId track) {
  if (last_queue_ < queues_.size() && queues_[last_queue_].track == track) return queues_[last_queue_];
  const auto known = queue_of_.find(track.value);
  if (known != queue_of_.end()) return queues_[last_queue_ = known->second];
  heap_.reserve(queues_.size() + 1);
  queues_.push_back({track, {}});
  queue_of_.emplace(track.value, queues_.size() - 1);
  return queues_[last_queue_ = queues_.size() - 1];
}

void EventSorter::reserve(TrackId track, size_t count) {
  std::vector<Event>& events = queue_of(track).events;
  events.reserve(events.size() + count);
}

// Front of the heap: the queue that is later than no other.
bool EventSorter::is_later(size_t x, size_t y) const {
  const auto key = [&](size_t queue) {
    const Event& front = queues_[queue].front();
    return std::tuple(front.end(), rank(front), queue);
  };
  return key(x) > key(y);
}

void EventSorter::push(size_t queue) {
  heap_.push_back(queue);
  std::push_heap(heap_.begin(), heap_.end(), [this](size_t x, size_t y) { return is_later(x, y); });
}

void EventSorter::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), [this](size_t x, size_t y) { return is_later(x, y); });
  heap_.pop_back();
}

void EventSorter::add(TrackId track, std::span<const Event> events) {
  if (events.empty()) return;
  Queue& queue = queue_of(track);
  const bool was_empty = queue.empty();
  if (was_empty) queue.events.clear(), queue.next = 0;
  const size_t old = queue.events.size();
  queue.events.insert(queue.events.end(), events.begin(), events.end());
  held_ += events.size();
  for (const Event& event : events) newest_ = std::max(newest_, event.end());
  const auto begin = queue.events.begin() + static_cast<ptrdiff_t>(queue.next);
  const auto added = queue.events.begin() + static_cast<ptrdiff_t>(old);
  const bool sorted = std::is_sorted(added, queue.events.end(), ends_before) &&
                      (added == begin || !ends_before(*added, *std::prev(added)));
  if (!sorted) std::stable_sort(begin, queue.events.end(), ends_before);
  const size_t index = last_queue_;
  if (was_empty)
    push(index);
  else if (!sorted)
    std::make_heap(heap_.begin(), heap_.end(), [this](size_t x, size_t y) { return is_later(x, y); });
}

void EventSorter::add(const RunEnd& end) {
  const auto at =
      std::upper_bound(ends_.begin(), ends_.end(), end, [](const RunEnd& x, const RunEnd& y) { return x.end < y.end; });
  ends_.insert(at, end);
}

void EventSorter::drain_events(Nanoseconds until, Sink& sink) {
  const auto pass_on = [&] {
    if (!batch_.empty()) sink.events(batch_);
    batch_.clear();
  };
  while (!heap_.empty() && queues_[heap_.front()].front().end() <= until) {
    const size_t index = heap_.front();
    pop();
    Queue& queue = queues_[index];
    do {
      if (batch_.size() == kBatch) pass_on();
      batch_.push_back({queue.track, queue.events[queue.next++]});
      --held_;
    } while (!queue.empty() && queue.front().end() <= until && (heap_.empty() || !is_later(index, heap_.front())));
    if (!queue.empty()) push(index);
  }
  pass_on();
}

void EventSorter::drain(Nanoseconds until, Sink& sink) {
  size_t done = 0;
  for (; done < ends_.size() && ends_[done].end <= until; ++done) {
    drain_events(ends_[done].end, sink);
    sink.describe(ends_[done]);
  }
  ends_.erase(ends_.begin(), ends_.begin() + static_cast<ptrdiff_t>(done));
  drain_events(until, sink);
  for (Queue& queue : queues_) {
    if (queue.next < queue.events.size() / 2) continue;
    queue.events.erase(queue.events.begin(), queue.events.begin() + static_cast<ptrdiff_t>(queue.next));
    queue.next = 0;
  }
}

void StreamSorter::describe(const Description& description) {
  if (const auto* end = std::get_if<RunEnd>(&description))
    sorter_.add(*end);
  else
    sink_.describe(description);
}

void StreamSorter::end_round() {
  sorter_.drain(previous_, sink_);
  previous_ = sorter_.newest();
  seen_.clear();
}

void StreamSorter::events(std::span<const TrackEvent> events) {
  std::array<Event, 512> own;
  while (!events.empty()) {
    const TrackId track = events.front().track;
    if ((track != last_ && seen_.contains(track.value)) || sorter_.size() > kMaxHeld) end_round();
    size_t count = 0;
    for (; count < std::min(own.size(), events.size()) && events[count].track == track; ++count)
      own[count] = events[count].event;
    sorter_.add(track, std::span<const Event>(own).first(count));
    seen_.insert(track.value);
    last_ = track;
    events = events.subspan(count);
  }
}

void StreamSorter::flush() {
  sorter_.drain_all(sink_);
  seen_.clear();
  previous_ = INT64_MIN;
  sink_.flush();
}

}  // namespace arenascope::trace
