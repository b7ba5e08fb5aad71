// SPDX-License-Identifier: MIT
// Merges the events of all tracks by the time at which they ended, which is when they were recorded. Rings are drained
// one after the other; sinks that follow the sorter need not handle an end that is read before its begin.
#pragma once
#include <arenascope/trace/sink.h>

#include <unordered_map>
#include <unordered_set>

namespace arenascope::trace {

// At the same time, memory is freed before it is allocated again, and a pause ends before the waits that include it; the
// order of a track's events of the same time is kept.
class EventSorter {
 public:
  EventSorter();

  // Prepares for `count` more events of the track: adding them and passing them on allocates nothing.
  void reserve(TrackId track, size_t count);
  void reserve_ends(size_t count) { ends_.reserve(ends_.size() + count); }
  void add(TrackId track, std::span<const Event> events);
  void add(const RunEnd& end);  // after all events that ended by its time

  bool empty() const { return held_ == 0 && ends_.empty(); }
  size_t size() const { return held_; }           // events
  Nanoseconds newest() const { return newest_; }  // the latest end of all events that were added

  // Passes on what ended by `until`.
  void drain(Nanoseconds until, Sink& sink);
  void drain_all(Sink& sink) { drain(INT64_MAX, sink); }

 private:
  struct Queue {
    TrackId track;
    std::vector<Event> events;  // by end
    size_t next = 0;
    const Event& front() const { return events[next]; }
    bool empty() const { return next == events.size(); }
  };
  Queue& queue_of(TrackId track);
  bool is_later(size_t x, size_t y) const;
  void drain_events(Nanoseconds until, Sink& sink);
  void push(size_t queue);
  void pop();

  std::vector<Queue> queues_;
  std::unordered_map<int32_t, size_t> queue_of_;
  size_t last_queue_ = 0;
  std::vector<size_t> heap_;  // queues with events; the earliest is in front
  std::vector<RunEnd> ends_;  // by time
  std::vector<TrackEvent> batch_;
  size_t held_ = 0;
  Nanoseconds newest_ = INT64_MIN;
};

// Sorts a stream in which tracks come one after the other, round by round, as rings are drained: an attached program or
// a recording. A round ends where a track comes again; events are held back for one more round, since rings are not read
// at the same moment. Descriptions other than run ends are passed on at once.
class StreamSorter : public Sink {
 public:
  using Sink::events;
  explicit StreamSorter(Sink& sink) : sink_(sink) {}
  void describe(const Description& description) override;
  void events(std::span<const TrackEvent> events) override;
  void flush() override;  // passes on everything

  bool empty() const { return sorter_.empty(); }

 private:
  void end_round();

  Sink& sink_;
  EventSorter sorter_;
  std::unordered_set<int32_t> seen_;  // tracks of this round
  TrackId last_;
  Nanoseconds previous_ = INT64_MIN;  // the newest event of the round before
};

}  // namespace arenascope::trace
