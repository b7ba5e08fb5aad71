// SPDX-License-Identifier: MIT
#include "engine/trace/perfetto_clocks.h"
#include "engine/trace/saturate.h"

#include <algorithm>

namespace arenascope::trace {

namespace {

constexpr uint64_t kMonotonicClock = 3, kBoottimeClock = 6;  // builtin_clock.proto
constexpr size_t kMaxReadings = 16;                          // readings per snapshot

// Nanoseconds of `timestamp` units; empty if that is not a sensible time.
std::optional<Nanoseconds> in_nanoseconds(uint64_t timestamp, uint64_t multiplier) {
  uint64_t ns = 0;
  if (__builtin_mul_overflow(timestamp, multiplier, &ns) || ns > INT64_MAX) return std::nullopt;
  const auto time = static_cast<Nanoseconds>(ns);
  return is_sensible_time(time) ? std::optional(time) : std::nullopt;
}

}  // namespace

PerfettoClocks::Id PerfettoClocks::id_of(uint64_t clock, uint64_t sequence) {
  return {clock, clock >= 64 && clock < 128 ? sequence : 0};
}

uint32_t PerfettoClocks::number(Id id) {
  const auto [it, fresh] = numbers_.try_emplace(id, static_cast<uint32_t>(clocks_.size()));
  if (fresh) clocks_.emplace_back();
  return it->second;
}

void PerfettoClocks::snapshot(ByteSpan message, uint64_t sequence) {
  std::vector<Reading> readings;
  uint64_t primary = 0;
  WireReader in(message);
  while (in.next()) {
    if (in.field == 2 && in.type == WireType::Varint) primary = in.number;
    if (in.field != 1 || in.type != WireType::Bytes || readings.size() >= kMaxReadings) continue;
    uint64_t id = 0, timestamp = 0, multiplier = 1;
    bool incremental = false;
    WireReader entry(in.payload);
    while (entry.next()) {
      if (entry.type != WireType::Varint) continue;
      if (entry.field == 1) id = entry.number;
      if (entry.field == 2) timestamp = entry.number;
      if (entry.field == 3) incremental = entry.number != 0;
      if (entry.field == 4) multiplier = std::max<uint64_t>(entry.number, 1);
    }
    const auto ns = in_nanoseconds(timestamp, multiplier);
    if (!ns) continue;
    const uint32_t n = number(id_of(id, sequence));
    Clock& clock = clocks_[n];
    clock.multiplier = multiplier;
    clock.incremental = incremental;
    clock.last = timestamp;
    readings.push_back({n, *ns});
  }
  choose_trace_clock(primary, readings);
  for (const Reading& a : readings)
    for (const Reading& b : readings)
      if (a.clock != b.clock && clocks_[a.clock].known.insert(b.clock).second) routes_.clear();
  snapshots_.push_back(std::move(readings));
}

// The first primary clock, or else the boot time clock of the first snapshot with it.
void PerfettoClocks::choose_trace_clock(uint64_t primary, const std::vector<Reading>& readings) {
  if (primary == 0) {
    const auto boot = numbers_.find(Id{kBoottimeClock, 0});
    if (boot == numbers_.end() ||
        std::none_of(readings.begin(), readings.end(), [&](const Reading& r) { return r.clock == boot->second; }))
      return;
    primary = kBoottimeClock;
  }
  default_clock_ = number(id_of(primary, 0));
  if (!trace_clock_) trace_clock_ = default_clock_;
}

std::optional<PerfettoClocks::Time> PerfettoClocks::read(uint64_t clock, uint64_t sequence, uint64_t timestamp) {
  const uint32_t n = clock == 0 ? default_clock_.value_or(number(Id{})) : number(id_of(clock, sequence));
  Clock& c = clocks_[n];
  if (c.incremental) timestamp = c.last += timestamp;
  const auto ns = in_nanoseconds(timestamp, c.multiplier);
  if (!ns) return std::nullopt;
  return Time{n, *ns};
}

std::optional<PerfettoClocks::Time> PerfettoClocks::read_monotonic(int64_t microseconds) {
  if (microseconds < 0) return std::nullopt;
  const auto ns = in_nanoseconds(static_cast<uint64_t>(microseconds), 1000);
  if (!ns) return std::nullopt;
  return Time{number(Id{kMonotonicClock, 0}), *ns};
}

// The clocks on the shortest way to the trace clock, without `from`; empty if there is none.
const std::vector<uint32_t>& PerfettoClocks::route(uint32_t from) {
  const auto [it, fresh] = routes_.try_emplace(from);
  if (!fresh || !trace_clock_ || *trace_clock_ == from) return it->second;
  std::map<uint32_t, uint32_t> previous{{*trace_clock_, *trace_clock_}};  // searched from the trace clock
  std::vector<uint32_t> reached{*trace_clock_};
  for (size_t i = 0; i < reached.size() && !previous.contains(from); ++i)
    for (const uint32_t next : clocks_[reached[i]].known)
      if (previous.try_emplace(next, reached[i]).second) reached.push_back(next);
  if (!previous.contains(from)) return it->second;
  for (uint32_t at = from; at != *trace_clock_;) it->second.push_back(at = previous[at]);
  return it->second;
}

const PerfettoClocks::Relation& PerfettoClocks::relation(uint32_t from, uint32_t to) {
  Relation& r = relations_[{from, to}];
  for (; r.snapshots < snapshots_.size(); ++r.snapshots) {
    std::optional<Nanoseconds> a, b;
    for (const Reading& reading : snapshots_[r.snapshots]) {
      if (reading.clock == from) a = reading.ns;
      if (reading.clock == to) b = reading.ns;
    }
    const bool in_order = a && (r.points.empty() || *a >= r.points.back().first);
    if (in_order && b) r.points.emplace_back(*a, *b);
  }
  return r;
}

std::optional<Nanoseconds> PerfettoClocks::to_trace(Time time) {
  Nanoseconds t = time.ns;
  uint32_t from = time.clock;
  for (const uint32_t to : route(time.clock)) {
    const auto& points = relation(from, to).points;
    const auto after = std::upper_bound(points.begin(), points.end(), t,
                                        [](Nanoseconds value, const auto& point) { return value < point.first; });
    const auto& [a, b] = after == points.begin() ? points.front() : *std::prev(after);
    t = t - a + b;
    if (!is_sensible_time(t)) return std::nullopt;
    from = to;
  }
  return t;
}

}  // namespace arenascope::trace
