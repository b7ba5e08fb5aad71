// SPDX-License-Identifier: MIT
// Where descriptions and events go: a Session (live), a RecordingWriter (file), or both.
// One thread at a time calls a sink. What an event refers to has been described before it.
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
