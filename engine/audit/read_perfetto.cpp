// SPDX-License-Identifier: MIT
// Perfetto's track events: slices and counters, with interned names, defaults and incremental clocks. Field numbers are
// those of its published trace_packet.proto and track_event.proto.
#include <arenascope/trace/gunzip.h>
#include <arenascope/trace/wire.h>
#include <fmt/format.h>
#include <algorithm>
#include <optional>

#include "engine/audit/imported_trace.h"

namespace arenascope::audit {

namespace {

using trace::WireReader;
using trace::WireType;

constexpr auto kLatest = static_cast<uint64_t>(INT64_MAX / 4);  // nanoseconds; later times are invalid

struct Sequence {  // state that packets of one writer share
  std::map<uint64_t, std::string> names, categories;
  uint64_t clock = 0, track = 0;
  std::vector<uint64_t> extra_tracks;
  std::map<uint64_t, double> sums;  // totals of incremental counters
  bool known = false;               // nothing was lost since the state was reset
};

// A clock as one writer sees it; writers share those below 64 and above 127.
using ClockKey = std::pair<uint64_t, uint64_t>;
struct Clock {
  bool incremental = false;
  uint64_t unit = 1, last = 0;  // nanoseconds per unit; the last value of an incremental clock in units
};
using ClockReadings = std::map<ClockKey, Nanoseconds>;  // readings of one snapshot

struct Track {
  std::string name;
  bool counter = false, incremental = false;
  int64_t multiplier = 1;
};

struct Open {
  std::string name, category;
  Nanoseconds begin;
};

// An event whose time is not yet in the trace's clock.
struct Pending {
  ClockKey clock;
  Nanoseconds time = 0;
  uint64_t type = 0, uuid = 0;
  std::string name, category;
  double value = 0;
};

struct PacketParts {
  uint64_t time = 0, clock = 0, sequence = 0;
  bool timed = false, own_clock = false;
  ByteSpan event;
  bool has_event = false;
};

class Reader {
 public:
  explicit Reader(Raw& raw) : raw_(raw), tables_(raw) {}

  bool packets(ByteSpan bytes, bool allow_packed) {
    WireReader in(bytes);
    while (in.next())
      if (in.field == 1 && in.type == WireType::Bytes) packet(in.payload, allow_packed);
    return in.ok();
  }
  void finish() {
    for (Pending& e : pending_) e.time = in_trace_clock(e);
    std::erase_if(pending_, [](const Pending& e) { return e.time < 0 || static_cast<uint64_t>(e.time) > kLatest; });
    std::stable_sort(pending_.begin(), pending_.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    for (const Pending& e : pending_) apply(e);
    for (auto& [uuid, stack] : open_)
      for (size_t depth = 0; depth < stack.size(); ++depth)  // without an end: to the end of the trace
        tables_.span(thread(uuid), stack[depth].name, stack[depth].begin, std::max(raw_.end, stack[depth].begin),
                     static_cast<int64_t>(depth));
  }

 private:
  void packet(ByteSpan bytes, bool allow_packed) {
    ++raw_.entries;
    PacketParts parts;
    WireReader first(bytes);  // fields that the others depend on
    while (first.next()) {
      if (first.field == 8) parts.time = first.number, parts.timed = true;
      if (first.field == 58) parts.clock = first.number, parts.own_clock = true;
      if (first.field == 10) parts.sequence = first.number;
      if (first.field == 11 && first.type == WireType::Bytes) parts.event = first.payload, parts.has_event = true;
    }
    Sequence& sequence = sequences_[parts.sequence];
    bool needs_state = false, lost = false;
    WireReader flags(bytes);
    while (flags.next()) {
      if ((flags.field == 41 && flags.number != 0) || (flags.field == 13 && (flags.number & 1) != 0))
        sequence = {}, sequence.known = true;
      if (flags.field == 13) needs_state = (flags.number & 2) != 0;
      if (flags.field == 42) lost = flags.number != 0;
    }
    if (lost) sequence.known = false;
    WireReader in(bytes);
    while (in.next()) {
      if (in.type != WireType::Bytes) continue;
      if (in.field == 6) clock_snapshot(in.payload, parts.sequence);
      if (in.field == 12 && sequence.known) interned(in.payload, sequence);
      if (in.field == 59) defaults(in.payload, sequence);
      if (in.field == 60) descriptor(in.payload);
      if (in.field == 50 && allow_packed) packed(in.payload);
    }
    if (parts.has_event && (sequence.known || !needs_state)) event(parts, sequence);
  }

  void packed(ByteSpan bytes) {
    const auto plain = trace::gunzip(bytes, "compressed packets");
    if (plain)
      packets({reinterpret_cast<const uint8_t*>(plain->data()), plain->size()}, false);
    else
      raw_.problem = plain.error().message;
  }

  static ClockKey key(uint64_t clock, uint64_t sequence) { return {clock, clock >= 64 && clock < 128 ? sequence : 0}; }

  void clock_snapshot(ByteSpan bytes, uint64_t sequence) {
    ClockReadings readings;
    uint64_t primary = 6;
    WireReader in(bytes);
    while (in.next()) {
      if (in.field == 2) primary = in.number;
      if (in.field != 1 || in.type != WireType::Bytes) continue;
      uint64_t id = 0, value = 0;
      Clock clock;
      WireReader part(in.payload);
      while (part.next()) {
        if (part.field == 1) id = part.number;
        if (part.field == 2) value = part.number;
        if (part.field == 3) clock.incremental = part.number != 0;
        if (part.field == 4) clock.unit = std::max<uint64_t>(part.number, 1);
      }
      clock.last = value;
      clocks_[key(id, sequence)] = clock;
      uint64_t nanoseconds = 0;
      if (!__builtin_mul_overflow(value, clock.unit, &nanoseconds) && nanoseconds <= kLatest)
        readings[key(id, sequence)] = static_cast<Nanoseconds>(nanoseconds);
    }
    if (trace_clock_ == 0 && readings.contains(key(primary, 0))) trace_clock_ = primary;
    snapshots_.push_back(readings);
  }

  // Through one snapshot with both clocks, or through a third clock that is in a snapshot with each.
  Nanoseconds in_trace_clock(const Pending& e) const {
    const ClockKey to{trace_clock_, 0};
    if (trace_clock_ == 0 || e.clock == to || e.clock.first == 0) return e.time;
    if (const auto direct = converted(e.time, e.clock, to)) return *direct;
    for (const auto& [between, clock] : clocks_)
      if (const auto first = converted(e.time, e.clock, between))
        if (const auto second = converted(*first, between, to)) return *second;
    return e.time;
  }

  // By the last snapshot up to the time, or else by the first one.
  std::optional<Nanoseconds> converted(Nanoseconds time, ClockKey from, ClockKey to) const {
    std::optional<Nanoseconds> out;
    for (const ClockReadings& readings : snapshots_) {
      const auto a = readings.find(from), b = readings.find(to);
      if (a == readings.end() || b == readings.end()) continue;
      if (out && a->second > time) break;
      out = time - a->second + b->second;
    }
    return out;
  }

  static void interned(ByteSpan bytes, Sequence& sequence) {
    WireReader in(bytes);
    while (in.next()) {
      if ((in.field != 1 && in.field != 2) || in.type != WireType::Bytes) continue;
      uint64_t iid = 0;
      std::string text;
      WireReader entry(in.payload);
      while (entry.next()) {
        if (entry.field == 1) iid = entry.number;
        if (entry.field == 2 && entry.type == WireType::Bytes) text = entry.text();
      }
      (in.field == 1 ? sequence.categories : sequence.names)[iid] = std::move(text);
    }
  }

  static void defaults(ByteSpan bytes, Sequence& sequence) {
    WireReader in(bytes);
    while (in.next()) {
      if (in.field == 58) sequence.clock = in.number;
      if (in.field != 11 || in.type != WireType::Bytes) continue;
      WireReader event(in.payload);
      while (event.next()) {
        if (event.field == 11) sequence.track = event.number;
        if (event.field == 31) list(event, sequence.extra_tracks);
      }
    }
  }

  static void list(const WireReader& in, std::vector<uint64_t>& out) {
    if (in.type == WireType::Varint) return out.push_back(in.number);
    WireReader packed(in.payload);
    for (uint64_t v = 0; !packed.done() && packed.varint(v);) out.push_back(v);
  }

  void descriptor(ByteSpan bytes) {
    uint64_t uuid = 0;
    std::string name, of_part;
    Track track;
    WireReader in(bytes);
    while (in.next()) {
      if (in.field == 1) uuid = in.number;
      if (in.field == 2 && in.type == WireType::Bytes) name = in.text();
      if ((in.field == 3 || in.field == 4) && in.type == WireType::Bytes) {  // a process or a thread
        WireReader part(in.payload);
        while (part.next())
          if (part.field == (in.field == 3 ? 6 : 5) && part.type == WireType::Bytes) of_part = part.text();
      }
      if (in.field == 8 && in.type == WireType::Bytes) {
        track.counter = true;
        WireReader counter(in.payload);
        while (counter.next()) {
          if (counter.field == 4) track.multiplier = static_cast<int64_t>(counter.number);
          if (counter.field == 5) track.incremental = counter.number != 0;
        }
      }
    }
    track.name = name.empty() ? of_part : name;
    described_[uuid] = track;
  }

  bool when(const PacketParts& parts, const Sequence& sequence, Pending& e) {
    if (!parts.timed) return false;
    e.clock = key(parts.own_clock ? parts.clock : sequence.clock, parts.sequence);
    Clock& clock = clocks_[e.clock];
    uint64_t time = parts.time;
    if (clock.incremental) time = clock.last += time;
    time *= clock.unit;
    if (time > kLatest) return false;
    e.time = static_cast<Nanoseconds>(time);
    return true;
  }

  int32_t thread(uint64_t uuid) {
    const std::string& name = described_[uuid].name;
    return tables_.track(std::to_string(uuid), name.empty() ? fmt::format("track {}", uuid) : name);
  }

  void event(const PacketParts& parts, Sequence& sequence) {
    Pending e;
    e.uuid = sequence.track;
    std::vector<uint64_t> extra_tracks;
    std::vector<uint64_t> extra_values;
    const auto categorise = [&e](const std::string& one) { e.category += (e.category.empty() ? "" : ",") + one; };
    WireReader in(parts.event);
    while (in.next()) {
      switch (in.field) {
        case 3: categorise(sequence.categories[in.number]); break;
        case 9: e.type = in.number; break;
        case 10: e.name = sequence.names[in.number]; break;
        case 11: e.uuid = in.number; break;
        case 22:
          if (in.type == WireType::Bytes) categorise(std::string(in.text()));
          break;
        case 23:
          if (in.type == WireType::Bytes) e.name = in.text();
          break;
        case 30: e.value = static_cast<double>(static_cast<int64_t>(in.number)); break;
        case 44: e.value = in.real(); break;
        case 31: list(in, extra_tracks); break;
        case 12: list(in, extra_values); break;
        default: break;
      }
    }
    if (!when(parts, sequence, e)) return;
    if (extra_tracks.empty()) extra_tracks = sequence.extra_tracks;
    for (size_t i = 0; i < std::min(extra_tracks.size(), extra_values.size()); ++i) {
      Pending extra{e.clock, e.time, 4, extra_tracks[i], {}, {}, 0};
      extra.value = value_of(extra.uuid, static_cast<double>(static_cast<int64_t>(extra_values[i])), sequence);
      pending_.push_back(std::move(extra));
    }
    if (e.type == 4) e.value = value_of(e.uuid, e.value, sequence);
    pending_.push_back(std::move(e));
  }

  void apply(const Pending& e) {
    auto& stack = open_[e.uuid];
    if (e.type == 1) {
      thread(e.uuid);
      stack.push_back({e.name, e.category, e.time});
    } else if (e.type == 2) {
      end(e, stack);
    } else if (e.type == 3) {
      tables_.span(thread(e.uuid), e.name, e.time, e.time, static_cast<int64_t>(stack.size()));
    } else if (e.type == 4) {
      thread(e.uuid);
      raw_.samples.push_back({tables_.counter(std::to_string(e.uuid)), e.time, e.value});
      raw_.cover(e.time, e.time);
    }
  }

  // The innermost slice with the name and category of the end; the slices inside it end with it.
  void end(const Pending& e, std::vector<Open>& stack) {
    for (size_t i = stack.size(); i-- > 0;) {
      if (!e.name.empty() && !stack[i].name.empty() && stack[i].name != e.name) continue;
      if (!e.category.empty() && stack[i].category != e.category) continue;
      while (stack.size() > i) {
        const Open o = stack.back();
        stack.pop_back();
        tables_.span(thread(e.uuid), o.name, o.begin, e.time, static_cast<int64_t>(stack.size()));
      }
      return;
    }
  }

  double value_of(uint64_t uuid, double value, Sequence& sequence) {
    const Track& track = described_[uuid];
    value *= static_cast<double>(track.multiplier > 0 ? track.multiplier : 1);
    return track.incremental ? sequence.sums[uuid] += value : value;
  }

  Raw& raw_;
  Tables tables_;
  std::map<uint64_t, Sequence> sequences_;
  std::map<uint64_t, Track> described_;
  std::map<uint64_t, std::vector<Open>> open_;  // by track
  std::map<ClockKey, Clock> clocks_;
  std::vector<ClockReadings> snapshots_;
  uint64_t trace_clock_ = 0;  // none yet
  std::vector<Pending> pending_;
};

}  // namespace

Result<Raw> read_perfetto(ByteSpan bytes, const std::string& name) {
  Raw raw;
  raw.format = "Perfetto trace";
  Reader reader(raw);
  const bool whole = reader.packets(bytes, true);
  reader.finish();
  if (!whole && raw.events == 0 && raw.tracks.empty()) return Error{name + ": not a Perfetto trace"};
  if (!whole) raw.problem = name + ": the trace is truncated or damaged; everything before that was read.";
  return raw;
}

}  // namespace arenascope::audit
