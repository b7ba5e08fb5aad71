// SPDX-License-Identifier: GPL-3.0-or-later
// Memory events in order of time. A snapshot stores them in order of arrival, grouped by the ring buffer of their
// thread.
#pragma once
#include <algorithm>
#include <vector>

#include <arenascope/trace/snapshot.h>

namespace arenascope::app {

inline std::vector<trace::Event> memory_events_by_time(const trace::Snapshot& snapshot) {
  std::vector<trace::Event> events;
  events.reserve(snapshot.memory_events.size());
  for (size_t i = 0; i < snapshot.memory_events.size(); ++i)
    events.push_back(snapshot.event(snapshot.memory_events[i]));
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return events;
}

}  // namespace arenascope::app
