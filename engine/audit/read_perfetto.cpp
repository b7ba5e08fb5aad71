// SPDX-License-Identifier: MIT
// Perfetto's track events: slices and counters, with interned names, defaults and incremental clocks. Field numbers are
// those of its published trace_packet.proto and track_event.proto.
#include <arenascope/trace/gunzip.h>
#include <arenascope/trace/wire.h>
#include <fmt/format.h>

#include "engine/audit/imported_trace.h"

namespace arenascope::audit {

namespace {

using trace::WireReader;
using trace::WireType;

struct Sequence {  // what packets of one writer leave to each other
  std::map<uint64_t, std::string> names;
  uint64_t clock = 0, track = 0;
  std::map<uint64_t, uint64_t> clocks;                  // incremental ones: the last value
  std::map<uint64_t, std::pair<bool, uint64_t>> units;  // incremental or not, nanoseconds a unit
  std::vector<uint64_t> extra_tracks;
};

struct Track {
  std::string name;
  bool counter = false, incremental = false;
  int64_t multiplier = 1;
  double sum = 0;
};

struct Open {
  std::string name;
  Nanoseconds begin;
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
    for (auto& [uuid, stack] : open_)
      for (size_t depth = 0; depth < stack.size(); ++depth)  // never ended: to the end of what is known
        tables_.span(thread(uuid), stack[depth].name, stack[depth].begin, std::max(raw_.end, stack[depth].begin),
                     static_cast<int64_t>(depth));
  }

 private:
  void packet(ByteSpan bytes, bool allow_packed) {
    ++raw_.entries;
    PacketParts parts;
    WireReader first(bytes);  // what the rest depends on
    while (first.next()) {
      if (first.field == 8) parts.time = first.number, parts.timed = true;
      if (first.field == 58) parts.clock = first.number, parts.own_clock = true;
      if (first.field == 10) parts.sequence = first.number;
      if (first.field == 11 && first.type == WireType::Bytes) parts.event = first.payload, parts.has_event = true;
    }
    Sequence& sequence = sequences_[parts.sequence];
    WireReader flags(bytes);
    while (flags.next())
      if ((flags.field == 41 && flags.number != 0) || (flags.field == 13 && (flags.number & 1) != 0)) sequence = {};
    WireReader in(bytes);
    while (in.next()) {
      if (in.type != WireType::Bytes) continue;
      if (in.field == 6) clock_snapshot(in.payload, sequence);
      if (in.field == 12) interned(in.payload, sequence);
      if (in.field == 59) defaults(in.payload, sequence);
      if (in.field == 60) descriptor(in.payload);
      if (in.field == 50 && allow_packed) packed(in.payload);
    }
    if (parts.has_event) event(parts, sequence);
  }

  void packed(ByteSpan bytes) {
    const auto plain = trace::gunzip(bytes, "compressed packets");
    if (plain)
      packets({reinterpret_cast<const uint8_t*>(plain->data()), plain->size()}, false);
    else
      raw_.problem = plain.error().message;
  }

  static void clock_snapshot(ByteSpan bytes, Sequence& sequence) {
    WireReader in(bytes);
    while (in.next()) {
      if (in.field != 1 || in.type != WireType::Bytes) continue;
      uint64_t id = 0, value = 0, unit = 1;
      bool incremental = false;
      WireReader clock(in.payload);
      while (clock.next()) {
        if (clock.field == 1) id = clock.number;
        if (clock.field == 2) value = clock.number;
        if (clock.field == 3) incremental = clock.number != 0;
        if (clock.field == 4) unit = std::max<uint64_t>(clock.number, 1);
      }
      sequence.clocks[id] = value * unit;
      sequence.units[id] = {incremental, unit};
    }
  }

  static void interned(ByteSpan bytes, Sequence& sequence) {
    WireReader in(bytes);
    while (in.next()) {
      if (in.field != 2 || in.type != WireType::Bytes) continue;
      uint64_t iid = 0;
      std::string name;
      WireReader entry(in.payload);
      while (entry.next()) {
        if (entry.field == 1) iid = entry.number;
        if (entry.field == 2 && entry.type == WireType::Bytes) name = entry.text();
      }
      sequence.names[iid] = std::move(name);
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
    if (const auto known = described_.find(uuid); known != described_.end()) track.sum = known->second.sum;
    described_[uuid] = track;
  }

  bool when(const PacketParts& parts, Sequence& sequence, Nanoseconds& t) {
    if (!parts.timed) return false;
    const uint64_t clock = parts.own_clock ? parts.clock : sequence.clock;
    uint64_t time = parts.time;
    if (const auto unit = sequence.units.find(clock); unit != sequence.units.end()) {
      time *= unit->second.second;
      if (unit->second.first) time = sequence.clocks[clock] += time;
    }
    if (time > static_cast<uint64_t>(INT64_MAX / 4)) return false;
    t = static_cast<Nanoseconds>(time);
    return true;
  }

  int32_t thread(uint64_t uuid) {
    const std::string& name = described_[uuid].name;
    return tables_.track(std::to_string(uuid), name.empty() ? fmt::format("track {}", uuid) : name);
  }

  void event(const PacketParts& parts, Sequence& sequence) {
    uint64_t type = 0, uuid = sequence.track;
    std::string name;
    double value = 0;
    std::vector<uint64_t> extra_tracks;
    std::vector<uint64_t> extra_values;
    WireReader in(parts.event);
    while (in.next()) {
      switch (in.field) {
        case 9: type = in.number; break;
        case 10: name = sequence.names[in.number]; break;
        case 11: uuid = in.number; break;
        case 23:
          if (in.type == WireType::Bytes) name = in.text();
          break;
        case 30: value = static_cast<double>(static_cast<int64_t>(in.number)); break;
        case 44: value = in.real(); break;
        case 31: list(in, extra_tracks); break;
        case 12: list(in, extra_values); break;
        default: break;
      }
    }
    Nanoseconds t = 0;
    if (!when(parts, sequence, t)) return;
    if (extra_tracks.empty()) extra_tracks = sequence.extra_tracks;
    for (size_t i = 0; i < std::min(extra_tracks.size(), extra_values.size()); ++i)
      sample(extra_tracks[i], t, static_cast<double>(static_cast<int64_t>(extra_values[i])));
    auto& stack = open_[uuid];
    if (type == 1) {
      thread(uuid);
      stack.push_back({name, t});
    } else if (type == 2 && !stack.empty()) {
      const Open o = stack.back();
      stack.pop_back();
      if (t >= o.begin) tables_.span(thread(uuid), o.name, o.begin, t, static_cast<int64_t>(stack.size()));
    } else if (type == 3) {
      tables_.span(thread(uuid), name, t, t, static_cast<int64_t>(stack.size()));
    } else if (type == 4) {
      thread(uuid);
      sample(uuid, t, value);
    }
  }

  void sample(uint64_t uuid, Nanoseconds t, double value) {
    Track& track = described_[uuid];
    value *= static_cast<double>(track.multiplier == 0 ? 1 : track.multiplier);
    if (track.incremental) value = track.sum += value;
    raw_.samples.push_back({tables_.counter(std::to_string(uuid)), t, value});
    raw_.cover(t, t);
  }

  Raw& raw_;
  Tables tables_;
  std::map<uint64_t, Sequence> sequences_;
  std::map<uint64_t, Track> described_;
  std::map<uint64_t, std::vector<Open>> open_;  // by track
};

}  // namespace

Result<Raw> read_perfetto(ByteSpan bytes, const std::string& name) {
  Raw raw;
  raw.format = "Perfetto trace";
  Reader reader(raw);
  const bool whole = reader.packets(bytes, true);
  if (!whole && raw.events == 0 && raw.tracks.empty()) return Error{name + ": not a Perfetto trace"};
  reader.finish();
  if (!whole) raw.problem = name + ": the trace is truncated or damaged; everything before that was read.";
  return raw;
}

}  // namespace arenascope::audit
