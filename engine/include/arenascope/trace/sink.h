// SPDX-License-Identifier: MIT
// Where descriptions and events go: a Session (live), a RecordingWriter (file), or both.
// A sink is called by one thread at a time. Everything that an event refers to is described before the event.
#pragma once
#include <arenascope/trace/info.h>

#include <span>

namespace arenascope::trace {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void describe(const Description& description) = 0;
  virtual void events(TrackId track, std::span<const Event> events) = 0;
  virtual void flush() {}  // called after each drain
};

}  // namespace arenascope::trace
