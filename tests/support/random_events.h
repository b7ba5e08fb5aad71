// SPDX-License-Identifier: MIT
// Random recordings: several executors, each with its own graph, plan and threads, whose runs overlap; runs that are
// aborted or never end, allocators, threads that are drained sequentially, and optionally lost events. Events
// that are not lost are as an executor would write them.
#pragma once
#include <arenascope/trace/sink.h>

#include <optional>
#include <vector>

namespace arenascope::test {

// A description, or events of one thread.
struct Entry {
  std::optional<trace::Description> description;
  trace::TrackId track;
  std::vector<trace::Event> events;
};

struct Stream {
  std::vector<Entry> entries;
  void play(trace::Sink& sink) const;
  // Visits every event, in the order of the file; `f(track, event&)`.
  template <class F>
  void each(F&& f) {
    for (Entry& entry : entries)
      for (trace::Event& event : entry.events) f(entry.track, event);
  }
  template <class F>
  void each(F&& f) const {
    for (const Entry& entry : entries)
      for (const trace::Event& event : entry.events) f(entry.track, event);
  }
  // Leaves out the events for which `f(track, event)` is true; returns how many.
  template <class F>
  int64_t remove(F&& f) {
    int64_t removed = 0;
    for (Entry& entry : entries)
      removed += static_cast<int64_t>(
          std::erase_if(entry.events, [&](const trace::Event& event) { return f(entry.track, event); }));
    return removed;
  }
};

struct RandomEvents {
  bool whole = false;  // neither aborted runs nor lost events
};

// The same seed gives the same stream. Times are some thousand nanoseconds, arenas some kilobytes in pieces of 16.
Stream random_events(uint64_t seed, RandomEvents options = {});

}  // namespace arenascope::test
