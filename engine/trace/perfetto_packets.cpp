// SPDX-License-Identifier: MIT
// Field numbers are from trace_packet.proto, trace_packet_defaults.proto and interned_data.proto.
#include "engine/trace/perfetto_packets.h"

#include <arenascope/trace/import.h>

#include <algorithm>

namespace arenascope::trace {

namespace {

constexpr uint64_t kLargestUnpacked = uint64_t{1} << 30;  // sum over all compressed packets of a trace
constexpr size_t kMaxListed = 64;                         // categories or counters of one event
constexpr uint64_t kCleared = 1, kNeedsState = 2;         // sequence flags

// An entry of interned data or of a map: its key and value.
struct KeyedEntry {
  uint64_t id = 0;
  std::string_view key, value;
  explicit KeyedEntry(ByteSpan bytes) {
    WireReader in(bytes);
    while (in.next()) {
      if (in.field == 1 && in.type == WireType::Varint) id = in.number;
      if (in.field == 1 && in.type == WireType::Bytes) key = in.text();
      if (in.field == 2 && in.type == WireType::Bytes) value = in.text();
    }
  }
};

}  // namespace

// Appends a repeated number, packed or not.
void PerfettoPackets::read_list(const WireReader& in, std::vector<uint64_t>& out) {
  if (in.type != WireType::Bytes) {
    if (out.size() < kMaxListed) out.push_back(in.number);
    return;
  }
  WireReader packed(in.payload);
  for (uint64_t v = 0; out.size() < kMaxListed && !packed.done() && packed.varint(v);) out.push_back(v);
}

size_t PerfettoPackets::read(ByteSpan bytes, bool inside) {
  WireReader in(bytes);
  size_t good = 0;
  while (in.next()) {
    if (in.field == 1 && in.type == WireType::Bytes)
      packet(in.payload, inside);
    else if (good == 0)
      return 0;
    good = bytes.size() - in.left();
  }
  return in.ok() ? bytes.size() : good;
}

void PerfettoPackets::packet(ByteSpan bytes, bool inside) {
  ++packets;
  Packet p;
  WireReader in(bytes);
  while (in.next()) {
    if (in.type != WireType::Bytes) {
      if (in.field == 8) p.time = in.number, p.has_time = true;
      if (in.field == 58) p.clock = in.number;
      if (in.field == 10) p.sequence = in.number;
      if (in.field == 13) p.flags = in.number;
      if (in.field == 41) p.cleared = in.number != 0;
      if (in.field == 42) p.dropped = in.number != 0;
    } else if (in.field == 11) {
      p.event = in.payload, p.has_event = true;
    } else if (in.field == 12) {
      p.interned = in.payload;
    } else if (in.field == 59) {
      p.defaults = in.payload;
    }
  }
  if (!in.ok()) {
    ++damaged;
    return;
  }
  Sequence& sequence = sequences_[p.sequence];
  if (p.cleared || (p.flags & kCleared) != 0) {
    Sequence cleared;
    cleared.thread = sequence.thread;  // is not part of the incremental state
    cleared.valid = true;
    sequence = std::move(cleared);
  } else if (p.dropped) {
    ++dropped;
    sequence.valid = false;
  }
  if (!p.defaults.empty()) defaults(p.defaults, sequence);
  if (!p.interned.empty() && sequence.valid) interned(p.interned, sequence);
  WireReader fields(bytes);
  while (fields.next()) {
    if (fields.type != WireType::Bytes) continue;
    if (fields.field == 50) {
      if (!inside) unpack(fields.payload);
    } else {
      content(p, sequence, fields);
    }
  }
  if (!p.has_event) return;
  ++track_events;
  if ((p.flags & kNeedsState) != 0 && !sequence.valid)
    ++lost;
  else
    track_event(p, sequence);
}

// The other fields of a packet, which are messages.
void PerfettoPackets::content(const Packet& packet, Sequence& sequence, const WireReader& field) {
  switch (field.field) {
    case 2: return tracks.process_tree(field.payload);
    case 6: return clocks.snapshot(field.payload, packet.sequence);
    case 43: return tracks.process_descriptor(field.payload);
    case 44: return thread(field.payload, sequence);
    case 60:
      if (const auto thread = tracks.describe(field.payload); thread && sequence.valid) sequence.thread = thread;
      return;
    case 82: return translations(field.payload);
    case 11:
    case 12:
    case 59: return;
    default: unread.packet_field(field);
  }
}

void PerfettoPackets::unpack(ByteSpan bytes) {
  const auto unpacked = gunzip(bytes, name_, std::min<uint64_t>(kLargestUnpacked - unpacked_, size_t{64} << 20));
  if (!unpacked.ok()) {
    ++damaged;
    return;
  }
  unpacked_ += unpacked->size();
  read(as_bytes(*unpacked), true);
}

void PerfettoPackets::defaults(ByteSpan bytes, Sequence& sequence) {
  WireReader in(bytes);
  sequence.counters.clear();
  sequence.real_counters.clear();
  while (in.next()) {
    if (in.field == 58 && in.type == WireType::Varint) sequence.clock = in.number;
    if (in.field != 11 || in.type != WireType::Bytes) continue;
    WireReader event(in.payload);
    while (event.next()) {
      if (event.field == 11 && event.type == WireType::Varint) sequence.track = event.number;
      if (event.field == 31) read_list(event, sequence.counters);
      if (event.field == 45) read_list(event, sequence.real_counters);
    }
  }
}

void PerfettoPackets::interned(ByteSpan bytes, Sequence& sequence) {
  WireReader in(bytes);
  while (in.next()) {
    if ((in.field != 1 && in.field != 2) || in.type != WireType::Bytes) continue;
    const KeyedEntry entry(in.payload);
    if (in.field == 1)
      sequence.categories.try_emplace(entry.id, entry.value);
    else
      sequence.names.try_emplace(entry.id, builder_.name(entry.value));
  }
}

void PerfettoPackets::translations(ByteSpan bytes) {
  WireReader in(bytes);
  while (in.next()) {
    if ((in.field != 4 && in.field != 5) || in.type != WireType::Bytes) continue;
    WireReader names(in.payload);
    while (names.next()) {
      if (names.field != 1 || names.type != WireType::Bytes) continue;
      const KeyedEntry entry(names.payload);
      if (in.field == 4)
        renamed[std::string(entry.key)] = entry.value;
      else
        tracks.rename(std::string(entry.key), std::string(entry.value));
    }
  }
}

// The thread of the older format's events, and the time that their increments begin at.
void PerfettoPackets::thread(ByteSpan bytes, Sequence& sequence) {
  if (!sequence.valid) return;
  sequence.thread = tracks.thread_descriptor(bytes);
  sequence.microseconds = sequence.cpu_microseconds = sequence.instructions = 0;
  WireReader in(bytes);
  while (in.next()) {
    if (in.type != WireType::Varint) continue;
    if (in.field == 6) sequence.microseconds = static_cast<int64_t>(in.number);
    if (in.field == 7) sequence.cpu_microseconds = static_cast<int64_t>(in.number);
    if (in.field == 8) sequence.instructions = static_cast<int64_t>(in.number);
  }
}

}  // namespace arenascope::trace
