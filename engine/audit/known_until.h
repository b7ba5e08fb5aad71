// SPDX-License-Identifier: MIT
// The time before which no event of a recording is missing. A killed program leaves the newest events of each thread
// unwritten, more of one thread than of another, so that an event that another thread's event implies may be absent. The
// older events of a thread cannot be missing if a newer one is present.
#pragma once
#include <unordered_map>

#include "engine/audit/raw_events.h"

namespace arenascope::audit {

class KnownUntil {
 public:
  explicit KnownUntil(const Raw& raw);
  // No event of the run is missing before this time. A run that is done has all events: its end is written after them.
  Nanoseconds run(int32_t id) const;
  // No allocation, free, reservation or release of another thread than that of `event` is missing before this time.
  Nanoseconds memory(const RawMemory& event) const;

 private:
  const Raw& raw_;
  std::unordered_map<int32_t, Nanoseconds> runs_;    // by run; only those that are not done
  std::unordered_map<int32_t, Nanoseconds> memory_;  // by track that may have memory events
};

}  // namespace arenascope::audit
