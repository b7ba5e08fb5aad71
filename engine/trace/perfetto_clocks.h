// SPDX-License-Identifier: MIT
// The clocks of a Perfetto trace. Timestamps may be in any clock; snapshots that read several clocks at one moment
// relate them. Times are converted to the trace clock when all snapshots are known.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/trace/wire.h>

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace arenascope::trace {

class PerfettoClocks {
 public:
  // A time in nanoseconds of one clock.
  struct Time {
    uint32_t clock = 0;
    Nanoseconds ns = 0;
  };

  // Reads a ClockSnapshot message of a sequence.
  void snapshot(ByteSpan message, uint64_t sequence);
  // A timestamp in units of a clock; clock 0 is the default of the trace. Empty: the time is out of range.
  std::optional<Time> read(uint64_t clock, uint64_t sequence, uint64_t timestamp);
  // The monotonic clock in microseconds, which legacy fields are in.
  std::optional<Time> read_monotonic(int64_t microseconds);
  // The time in the trace clock. A clock that no snapshot relates to it counts as the trace clock.
  std::optional<Nanoseconds> to_trace(Time time);

 private:
  // Ids from 64 to 127 belong to a sequence.
  struct Id {
    uint64_t clock = 0, sequence = 0;
    auto operator<=>(const Id&) const = default;
  };
  struct Clock {
    uint64_t multiplier = 1;  // nanoseconds per unit
    bool incremental = false;
    uint64_t last = 0;         // last value of an incremental clock, in its units
    std::set<uint32_t> known;  // clocks that a snapshot read at the same moment
  };
  struct Reading {
    uint32_t clock = 0;
    Nanoseconds ns = 0;
  };
  // The readings of two clocks in the snapshots that have both, by the first of them.
  struct Relation {
    std::vector<std::pair<Nanoseconds, Nanoseconds>> points;
    size_t snapshots = 0;  // that are in it
  };

  uint32_t number(Id id);
  static Id id_of(uint64_t clock, uint64_t sequence);
  void choose_trace_clock(uint64_t primary, const std::vector<Reading>& readings);
  const std::vector<uint32_t>& route(uint32_t from);
  const Relation& relation(uint32_t from, uint32_t to);

  std::map<Id, uint32_t> numbers_;
  std::vector<Clock> clocks_;
  std::vector<std::vector<Reading>> snapshots_;
  std::map<uint32_t, std::vector<uint32_t>> routes_;
  std::map<std::pair<uint32_t, uint32_t>, Relation> relations_;
  std::optional<uint32_t> trace_clock_, default_clock_;
};

}  // namespace arenascope::trace
