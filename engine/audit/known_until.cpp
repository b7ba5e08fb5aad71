// SPDX-License-Identifier: MIT
#include "engine/audit/known_until.h"

#include <algorithm>
#include <set>

namespace arenascope::audit {

KnownUntil::KnownUntil(const Raw& raw) : raw_(raw) {
  std::map<int32_t, std::set<int32_t>> tracks;  // by run
  for (const RawSpan& s : raw.spans)
    if (s.kind == SpanKind::Work || s.kind == SpanKind::Wait) tracks[s.run].insert(s.track);
  for (const RawMark& m : raw.marks)
    if (!m.derived) tracks[m.run].insert(m.track);
  const auto until = [&](int32_t track) {
    const auto found = raw.recorded_until.find(track);
    return found == raw.recorded_until.end() ? INT64_MAX : found->second;  // another tool's track
  };
  for (const auto& [id, run] : raw.runs) {
    if (run.done()) continue;
    Nanoseconds& first = runs_.emplace(id, INT64_MAX).first->second;
    for (const int32_t track : tracks[id]) first = std::min(first, until(track));
    if (static_cast<int32_t>(tracks[id].size()) < run.info.threads) first = INT64_MIN;  // one has no event of the run
  }
  if (raw.closed) return;
  for (const RawMemory& m : raw.memory) memory_.emplace(m.track, until(m.track));
  for (const auto& [id, track] : raw.tracks)
    if (track.kind != trace::TrackKind::DeviceQueue && !raw.recorded_until.contains(id)) memory_.emplace(id, INT64_MIN);
}

Nanoseconds KnownUntil::run(int32_t id) const {
  const auto found = runs_.find(id);
  if (found != runs_.end()) return found->second;
  return raw_.runs.contains(id) || raw_.closed ? INT64_MAX : INT64_MIN;
}

Nanoseconds KnownUntil::memory(const RawMemory& event) const {
  Nanoseconds first = INT64_MAX;
  for (const auto& [track, until] : memory_)
    if (track != event.track) first = std::min(first, until);
  return first;
}

}  // namespace arenascope::audit
