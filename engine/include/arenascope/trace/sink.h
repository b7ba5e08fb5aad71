// SPDX-License-Identifier: MIT
// Where descriptions and events go: a Session (live), a RecordingWriter (file), or both.
// A sink is called by one thread at a time. Everything that an event refers to is described before the event.
#pragma once
#include <arenascope/trace/info.h>

#include <memory>
#include <span>
#include <vector>

namespace arenascope::trace {

// An event and the track whose ring it was written to.
struct TrackEvent {
  TrackId track;
  Event event;
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void describe(const Description& description) = 0;
  // Events of all tracks, each after those that it depends on: an EventSorter puts them in order.
  virtual void events(std::span<const TrackEvent> events) = 0;
  virtual void flush() {}  // called after each drain

  // Events of one track.
  void events(TrackId track, std::span<const Event> events) {
    std::vector<TrackEvent> list;
    list.reserve(events.size());
    for (const Event& event : events) list.push_back({track, event});
    this->events(list);
  }
};

// Forwards to several sinks.
class SinkList : public Sink {
 public:
  using Sink::events;
  SinkList() = default;
  explicit SinkList(std::vector<std::shared_ptr<Sink>> sinks) : sinks_(std::move(sinks)) {}
  void add(std::shared_ptr<Sink> sink) { sinks_.push_back(std::move(sink)); }
  void remove(const Sink* sink) {
    std::erase_if(sinks_, [&](const auto& one) { return one.get() == sink; });
  }
  void describe(const Description& description) override {
    for (const auto& sink : sinks_) sink->describe(description);
  }
  void events(std::span<const TrackEvent> events) override {
    for (const auto& sink : sinks_) sink->events(events);
  }
  void flush() override {
    for (const auto& sink : sinks_) sink->flush();
  }

 private:
  std::vector<std::shared_ptr<Sink>> sinks_;
};

}  // namespace arenascope::trace
