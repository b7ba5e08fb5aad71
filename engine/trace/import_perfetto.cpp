// SPDX-License-Identifier: MIT
// Imports track events of a Perfetto trace. Field numbers are from trace_packet.proto and track_event.proto.
#include <arenascope/trace/import.h>
#include "engine/trace/import_builder.h"

#include <algorithm>
#include <iterator>
#include <new>

namespace arenascope::trace {

namespace {

constexpr uint64_t kLargestUnpacked = uint64_t{1} << 30;  // sum over all compressed packets of a trace
constexpr uint64_t kLatest = uint64_t{1} << 60;

struct SequenceClock {
  uint64_t last = 0;        // of an incremental clock, in its own units
  uint64_t multiplier = 1;  // ns per unit
  bool incremental = false;
  int64_t to_trace = 0;  // offset in ns
};

// State shared by the packets of one sequence.
struct Sequence {
  std::unordered_map<uint64_t, std::string> names;
  std::unordered_map<uint64_t, SequenceClock> clocks;
  uint64_t default_track = 0, default_clock = 0;
};

struct TrackState {
  std::string name;
  uint64_t parent = 0;
  int64_t process = 0, thread = 0;
  bool is_counter = false, is_bytes = false;
  size_t track = SIZE_MAX;  // in the builder
  std::vector<ImportBuilder::Span> open;
};

struct TrackEvent {
  uint64_t type = 0, track = 0, name_iid = 0;
  bool has_track = false, has_counter = false;
  std::string_view name;
  double counter = 0;
};

class Importer {
 public:
  explicit Importer(std::string name) : name_(std::move(name)) {}
  ImportBuilder builder;
  int64_t packets = 0, events = 0, skipped = 0;

  void packet(ByteSpan bytes, bool inside) {
    WireReader in(bytes);
    uint64_t time = 0, clock = 0, sequence_id = 0, flags = 0;
    bool has_time = false;
    ByteSpan event, descriptor, interned, defaults, snapshot, packed;
    while (in.next()) {
      const bool bytes_field = in.type == WireType::Bytes;
      if (in.field == 8 && !bytes_field) time = in.number, has_time = true;
      if (in.field == 58 && !bytes_field) clock = in.number;
      if (in.field == 10 && !bytes_field) sequence_id = in.number;
      if (in.field == 13 && !bytes_field) flags = in.number;
      if (!bytes_field) continue;
      if (in.field == 11) event = in.payload;
      if (in.field == 60) descriptor = in.payload;
      if (in.field == 12) interned = in.payload;
      if (in.field == 59) defaults = in.payload;
      if (in.field == 6) snapshot = in.payload;
      if (in.field == 50) packed = in.payload;
    }
    ++packets;
    if (!in.ok()) {
      ++skipped;
      return;
    }
    Sequence& sequence = sequences_[sequence_id];
    if ((flags & 1) != 0) {
      sequence.names.clear();
      sequence.default_track = sequence.default_clock = 0;
    }
    if (!snapshot.empty()) clocks(snapshot, sequence);
    if (!defaults.empty()) take_defaults(defaults, sequence);
    if (!interned.empty()) names(interned, sequence);
    if (!descriptor.empty()) describe(descriptor);
    if (event.data() != nullptr && has_time) {
      Nanoseconds t = 0;
      if (trace_time(sequence, clock == 0 ? sequence.default_clock : clock, time, t)) {
        track_event(event, sequence, t);
      } else {
        ++skipped;
      }
    }
    if (!packed.empty() && !inside) {
      const auto unpacked = gunzip(packed, name_, std::min<uint64_t>(kLargestUnpacked - unpacked_, size_t{64} << 20));
      if (!unpacked.ok()) {
        ++skipped;
      } else {
        unpacked_ += unpacked->size();
        packet_list(as_bytes(*unpacked), true);
      }
    }
  }

  // Reads consecutive Trace.packet fields. Returns the end of the last complete one.
  size_t packet_list(ByteSpan bytes, bool inside) {
    WireReader in(bytes);
    size_t good = 0;
    while (in.next()) {
      if (in.field == 1 && in.type == WireType::Bytes) {
        packet(in.payload, inside);
      } else if (good == 0) {
        return 0;
      }
      good = bytes.size() - in.left();
    }
    return in.ok() ? bytes.size() : good;
  }

  void finish() {
    for (auto& [uuid, t] : tracks_) open_spans += static_cast<int64_t>(t.open.size());
  }
  int64_t open_spans = 0;

 private:
  static bool trace_time(Sequence& s, uint64_t clock_id, uint64_t time, Nanoseconds& out) {
    const auto it = s.clocks.find(clock_id);
    if (it == s.clocks.end()) {
      out = static_cast<Nanoseconds>(time);
      return time < kLatest;
    }
    SequenceClock& c = it->second;
    if (c.incremental) time = c.last += time;
    uint64_t ns = 0;
    if (__builtin_mul_overflow(time, c.multiplier, &ns) || ns >= kLatest) return false;
    out = static_cast<Nanoseconds>(ns) + c.to_trace;
    return true;
  }

  void clocks(ByteSpan bytes, Sequence& sequence) {
    struct Reading {
      uint64_t id = 0, time = 0, multiplier = 1;
      bool incremental = false;
    };
    std::vector<Reading> readings;
    WireReader in(bytes);
    uint64_t primary = 6;
    while (in.next()) {
      if (in.field == 2 && in.type == WireType::Varint) primary = in.number;
      if (in.field != 1 || in.type != WireType::Bytes || readings.size() > 64) continue;
      Reading r;
      WireReader clock(in.payload);
      while (clock.next()) {
        if (clock.type != WireType::Varint) continue;
        if (clock.field == 1) r.id = clock.number;
        if (clock.field == 2) r.time = clock.number;
        if (clock.field == 3) r.incremental = clock.number != 0;
        if (clock.field == 4) r.multiplier = std::max<uint64_t>(clock.number, 1);
      }
      readings.push_back(r);
    }
    const Reading* reference = nullptr;
    for (const Reading& r : readings) {
      if (r.id == primary) reference = &r;
    }
    for (const Reading& r : readings) {
      if (r.id < 64 || r.id > 127) continue;  // sequence-scoped clocks; system clocks run almost alike
      SequenceClock& c = sequence.clocks[r.id];
      c = {r.time, r.multiplier, r.incremental, 0};
      uint64_t ns = 0;
      if (reference != nullptr && !__builtin_mul_overflow(r.time, r.multiplier, &ns) && ns < kLatest &&
          reference->time < kLatest) {
        c.to_trace = static_cast<int64_t>(reference->time) - static_cast<int64_t>(ns);
      }
    }
  }

  static void take_defaults(ByteSpan bytes, Sequence& sequence) {
    WireReader in(bytes);
    while (in.next()) {
      if (in.field == 58 && in.type == WireType::Varint) sequence.default_clock = in.number;
      if (in.field != 11 || in.type != WireType::Bytes) continue;
      WireReader event(in.payload);
      while (event.next()) {
        if (event.field == 11 && event.type == WireType::Varint) sequence.default_track = event.number;
      }
    }
  }

  static void names(ByteSpan bytes, Sequence& sequence) {
    WireReader in(bytes);
    while (in.next()) {
      if (in.field != 2 || in.type != WireType::Bytes) continue;
      WireReader entry(in.payload);
      uint64_t iid = 0;
      std::string_view text;
      while (entry.next()) {
        if (entry.field == 1 && entry.type == WireType::Varint) iid = entry.number;
        if (entry.field == 2 && entry.type == WireType::Bytes) text = entry.text();
      }
      sequence.names[iid] = text;
    }
  }

  void describe(ByteSpan bytes) {
    WireReader in(bytes);
    uint64_t uuid = 0, parent = 0;
    std::string name, of_part;
    int64_t process = 0, thread = 0;
    bool is_counter = false, is_bytes = false;
    while (in.next()) {
      if (in.field == 1 && in.type == WireType::Varint) uuid = in.number;
      if (in.field == 5 && in.type == WireType::Varint) parent = in.number;
      if (in.type != WireType::Bytes) continue;
      if (in.field == 2) name = in.text();
      if (in.field == 3 || in.field == 4) {
        WireReader part(in.payload);
        const bool is_thread = in.field == 4;
        while (part.next()) {
          if (part.type == WireType::Varint && part.field == 1) process = static_cast<int32_t>(part.number);
          if (part.type == WireType::Varint && part.field == 2 && is_thread) thread = static_cast<int32_t>(part.number);
          if (part.type == WireType::Bytes && part.field == (is_thread ? 5u : 6u)) of_part = part.text();
        }
      }
      if (in.field == 8) {
        is_counter = true;
        WireReader part(in.payload);
        while (part.next()) is_bytes |= part.type == WireType::Varint && part.field == 3 && part.number == 3;
      }
    }
    TrackState& t = tracks_[uuid];
    if (name.empty()) name = of_part;
    if (!name.empty()) t.name = name;
    t.parent = parent;
    t.process = process;
    t.thread = thread;
    t.is_counter = is_counter;
    t.is_bytes = is_bytes;
    if (t.track != SIZE_MAX && !t.name.empty()) builder.info(t.track).name = t.name;
  }

  size_t row(uint64_t uuid, TrackState& t) {
    if (t.track == SIZE_MAX) {
      t.track = builder.track("track " + std::to_string(uuid));
      ThreadInfo& info = builder.info(t.track);
      if (!t.name.empty()) info.name = t.name;
      info.process = t.process;
      info.thread = t.thread;
      info.kind = t.thread != 0 ? TrackKind::Worker : TrackKind::Other;
    }
    return t.track;
  }

  void track_event(ByteSpan bytes, Sequence& sequence, Nanoseconds time) {
    TrackEvent e;
    WireReader in(bytes);
    while (in.next()) {
      const bool number = in.type == WireType::Varint;
      if (in.field == 9 && number) e.type = in.number;
      if (in.field == 11 && number) e.track = in.number, e.has_track = true;
      if (in.field == 10 && number) e.name_iid = in.number;
      if (in.field == 23 && in.type == WireType::Bytes) e.name = in.text();
      if (in.field == 30 && number)
        e.counter = static_cast<double>(static_cast<int64_t>(in.number)), e.has_counter = true;
      if (in.field == 44 && in.type == WireType::Fixed64) e.counter = in.real(), e.has_counter = true;
    }
    ++events;
    const uint64_t uuid = e.has_track ? e.track : sequence.default_track;
    TrackState& t = tracks_[uuid];
    if (e.name.empty() && e.name_iid != 0) {
      const auto it = sequence.names.find(e.name_iid);
      if (it != sequence.names.end()) e.name = it->second;
    }
    if (!in.ok() || e.type < 1 || e.type > 4) {
      ++skipped;
    } else if (e.type == 4) {
      const std::string name = t.name.empty() ? "counter " + std::to_string(uuid) : t.name;
      if (!e.has_counter)
        ++skipped;
      else
        builder.point(row(uuid, t), counter(time, builder.counter(name, t.is_bytes ? "bytes" : ""), e.counter));
    } else if (e.type == 1) {
      row(uuid, t);
      t.open.push_back({time, time, builder.name(e.name)});
    } else if (e.type == 3) {
      builder.span(row(uuid, t), time, time, builder.name(e.name));
    } else if (t.open.empty()) {
      ++skipped;
    } else {
      // Packets may be out of time order: a slice that began after this end is not the one that it closes.
      auto ended = std::find_if(t.open.rbegin(), t.open.rend(), [&](const auto& open) { return open.begin <= time; });
      if (ended == t.open.rend()) ended = t.open.rbegin();
      builder.span(row(uuid, t), ended->begin, std::max(time, ended->begin), ended->name);
      t.open.erase(std::next(ended).base());
    }
  }

  const std::string name_;
  uint64_t unpacked_ = 0;
  std::unordered_map<uint64_t, Sequence> sequences_;
  std::unordered_map<uint64_t, TrackState> tracks_;
};

}  // namespace

Result<OpenReport> import_perfetto(ByteSpan bytes, const std::string& name, Sink& sink) {
  try {
    Importer importer(name);
    const size_t good = importer.packet_list(bytes, false);
    if (importer.packets == 0) return Error{name + ": not a Perfetto trace: it contains no complete packet."};
    if (importer.events == 0)
      return Error{name + ": the Perfetto trace contains no track events (slices or counters)."};
    importer.finish();
    OpenReport report{TraceKind::Perfetto, "Perfetto trace", ""};
    if (good < bytes.size()) {
      report.problem = name + ": the trace is truncated or corrupt at byte " + std::to_string(good) + "; " +
                       std::to_string(bytes.size() - good) + " bytes were skipped.";
    } else if (importer.skipped + importer.open_spans > 0) {
      report.problem = name + ": " + std::to_string(importer.skipped) + " of " + std::to_string(importer.packets) +
                       " packets were skipped, and " + std::to_string(importer.open_spans) + " slices have no end.";
    }
    if (!report.problem.empty()) importer.builder.problem(report.problem);
    importer.builder.describe(sink);
    sink.describe(SourceInfo{report.format, static_cast<int64_t>(importer.packets)});
    importer.builder.finish(sink);
    return report;
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while reading the file."};
  }
}

}  // namespace arenascope::trace
