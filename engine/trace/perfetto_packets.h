// SPDX-License-Identifier: MIT
// Reads the packets of a Perfetto trace: resolves interned names, defaults and clocks, which depend on earlier packets
// of the same sequence, into events that are independent of each other.
#pragma once
#include "engine/trace/import_builder.h"
#include "engine/trace/perfetto_clocks.h"
#include "engine/trace/perfetto_tracks.h"
#include "engine/trace/perfetto_unread.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace arenascope::trace {

enum class PerfettoEventType : uint8_t { Begin, End, Complete, Instant, Counter, State };

struct PerfettoEvent {
  PerfettoClocks::Time time;
  PerfettoEventType type = PerfettoEventType::Begin;
  NameId name;             // none: the event has no name
  uint32_t category = 0;   // number of its categories; 0: none
  uint64_t track = 0;      // uuid
  uint32_t legacy = 0;     // 1 + the index of a LegacyTarget, which it belongs to instead of the track
  double value = 0;        // value of a counter
  Nanoseconds length = 0;  // length of a complete slice
};

// Events of the older format name a thread, or an id that they share.
struct LegacyTarget {
  PerfettoTracks::Thread thread;
  bool asynchronous = false;
  std::string scope;
  uint64_t id = 0;
};

class PerfettoPackets {
 public:
  PerfettoPackets(std::string name, ImportBuilder& builder) : name_(std::move(name)), builder_(builder) {}

  // Reads consecutive Trace.packet fields. Returns the end of the last complete one.
  size_t read(ByteSpan bytes) { return read(bytes, false); }

  std::vector<PerfettoEvent> events;
  std::vector<LegacyTarget> targets;
  PerfettoClocks clocks;
  PerfettoTracks tracks;
  PerfettoUnread unread;
  std::unordered_map<std::string, std::string> renamed;  // original to translated slice name
  int64_t packets = 0;
  int64_t track_events = 0;  // including those that cannot be used:
  int64_t damaged = 0;       // packets
  int64_t invalid = 0;       // events without a valid time or type
  int64_t lost = 0;          // events without the names and defaults that a lost packet held
  int64_t dropped = 0;       // gaps: packets that the tracing program lost before others

 private:
  // State shared by the packets of one sequence.
  struct Sequence {
    std::unordered_map<uint64_t, NameId> names;
    std::unordered_map<uint64_t, std::string> categories;
    std::unordered_map<uint64_t, double> sums;  // totals of counters with increments
    std::vector<uint64_t> counters, real_counters;
    uint64_t track = 0, clock = 0;
    std::optional<PerfettoTracks::Thread> thread;
    int64_t microseconds = 0;                        // the time that the older format's increments refer to
    int64_t cpu_microseconds = 0, instructions = 0;  // likewise, of the thread
    bool valid = false;                              // its state was cleared once and no packet was lost since
  };
  struct Packet {
    uint64_t time = 0, clock = 0, sequence = 0, flags = 0;
    bool has_time = false, cleared = false, dropped = false;
    ByteSpan event, interned, defaults;
    bool has_event = false;
  };
  struct Fields;  // fields of a track event

  static void read_list(const WireReader& in, std::vector<uint64_t>& out);
  size_t read(ByteSpan bytes, bool inside);
  void packet(ByteSpan bytes, bool inside);
  void content(const Packet& packet, Sequence& sequence, const WireReader& field);
  void unpack(ByteSpan bytes);
  void defaults(ByteSpan bytes, Sequence& sequence);
  void interned(ByteSpan bytes, Sequence& sequence);
  void translations(ByteSpan bytes);
  void thread(ByteSpan bytes, Sequence& sequence);
  void track_event(const Packet& packet, Sequence& sequence);
  void field(Fields& fields, const WireReader& in);
  void legacy(Fields& fields, ByteSpan bytes);
  std::optional<PerfettoClocks::Time> time_of(const Fields& fields, const Packet& packet, Sequence& sequence);
  uint32_t category(const Fields& fields, const Sequence& sequence);
  void counters(const Fields& fields, Sequence& sequence, PerfettoClocks::Time time);
  static PerfettoTracks::Thread thread_of(const Fields& fields, const Sequence& sequence);
  void thread_counters(const Fields& fields, Sequence& sequence, PerfettoEvent event);
  void legacy_event(PerfettoEvent event, const Fields& fields, const Sequence& sequence);
  void add_target(PerfettoEvent& event, LegacyTarget target);
  void count_unshown(const Fields& fields);

  const std::string name_;
  ImportBuilder& builder_;
  uint64_t unpacked_ = 0;
  std::unordered_map<uint64_t, Sequence> sequences_;
  std::unordered_map<std::string, uint32_t> category_of_;
  std::unordered_map<std::string, uint32_t> target_of_;
};

}  // namespace arenascope::trace
