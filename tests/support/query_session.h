// SPDX-License-Identifier: MIT
// A session is valid if it answers every query.
#pragma once
#include <arenascope/trace/session.h>

#include <cstdint>

namespace arenascope::test {

// Queries the first tracks, runs and nodes, all memory and all kinds. Returns the number of events.
inline int64_t query_all(const trace::Session& session) {
  const auto s = session.snapshot();
  for (size_t t = 0; t < s->tracks.size() && t < 8; ++t)
    (void)s->spans(trace::TrackId(t), s->time.begin, s->time.end, 100);
  (void)s->slices_in(s->time.begin, s->time.end, 100);
  for (size_t r = 0; r < s->runs.size() && r < 8; ++r)
    for (size_t n = 0; n < 4; ++n) (void)s->stats(s->runs[r].info.graph, NodeId(n));
  for (size_t k = 0; k < trace::kMemoryKinds; ++k)
    (void)s->peak(static_cast<trace::MemoryKind>(k), trace::MemoryCount::Active);
  return s->event_count;
}

}  // namespace arenascope::test
