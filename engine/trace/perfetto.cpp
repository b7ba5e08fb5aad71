// SPDX-License-Identifier: MIT
#include <arenascope/trace/perfetto.h>
#include "engine/trace/codec.h"

#include <ctime>

namespace arenascope::trace {

namespace {

// TracePacket fields
constexpr uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInterned = 12;
constexpr uint32_t kSequenceFlags = 13, kDefaults = 59, kTrackDescriptor = 60;
// TrackEvent fields
constexpr uint32_t kType = 9, kNameIid = 10, kTrackUuid = 11, kCategories = 22, kName = 23, kCounterValue = 30;
constexpr uint32_t kDoubleCounterValue = 44;
enum Type : uint64_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounterType = 4 };

constexpr uint64_t kProcess = 1, kRunsTrack = 2, kMemoryTrack = 3;  // + 2 × kMemoryKinds
constexpr uint64_t kFirstTrack = 32;                                // even: tracks; odd: counters
static_assert(kMemoryTrack + 2 * kMemoryKinds <= kFirstTrack);
constexpr uint64_t kMonotonic = 3, kBoottime = 6;

uint64_t track_uuid(TrackId t) { return kFirstTrack + 2 * t.index(); }
uint64_t counter_uuid(uint64_t id) { return kFirstTrack + 1 + 2 * id; }

uint64_t read_clock(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

}  // namespace

// One packet: construct Packet p(out, time), write the event fields; the destructor closes it.
struct PerfettoMirror::Packet {
  WireWriter& out;
  size_t packet;
  size_t event = 0;

  explicit Packet(WireWriter& w) : out(w), packet(w.begin(kTracePacketField)) { out.number(kSequence, 1); }
  Packet(WireWriter& w, Nanoseconds time, Type type, uint64_t uuid, const std::string* fresh = nullptr,
         uint64_t iid = 0)
      : Packet(w) {
    out.number(kTimestamp, static_cast<uint64_t>(std::max<Nanoseconds>(time, 0)));
    out.number(kSequenceFlags, 2);  // needs earlier interned data
    if (fresh != nullptr && !fresh->empty()) {
      const size_t interned = out.begin(kInterned);
      const size_t entry = out.begin(2);  // event_names
      out.number(1, iid);
      out.bytes(2, *fresh);
      out.end(entry);
      out.end(interned);
    }
    event = out.begin(kTrackEvent);
    out.number(kType, type);
    out.number(kTrackUuid, uuid);
  }
  ~Packet() {
    if (event != 0) out.end(event);
    out.end(packet);
  }
  Packet(const Packet&) = delete;
  Packet& operator=(const Packet&) = delete;
};

void PerfettoMirror::begin(WireWriter& out) {
  {
    Packet p(out);
    const size_t snapshot = out.begin(kClockSnapshot);
    for (const auto& [id, clock] : {std::pair{kMonotonic, CLOCK_MONOTONIC}, std::pair{kBoottime, CLOCK_BOOTTIME}}) {
      const size_t entry = out.begin(1);
      out.number(1, id);
      out.number(2, read_clock(clock));
      out.end(entry);
    }
    out.number(2, kMonotonic);  // the trace's primary clock
    out.end(snapshot);
  }
  {
    Packet p(out);
    out.number(kSequenceFlags, 1);  // interned data starts empty
    const size_t defaults = out.begin(kDefaults);
    out.number(58, kMonotonic);  // default clock of timestamps
    out.end(defaults);
  }
  {
    Packet p(out);
    const size_t descriptor = out.begin(kTrackDescriptor);
    out.number(1, kProcess);
    const size_t process = out.begin(3);
    out.number(1, 1);  // pid
    out.bytes(6, "arenascope");
    out.end(process);
    out.end(descriptor);
  }
  track_descriptor(kRunsTrack, "runs", out, 0, false, false);
}

void PerfettoMirror::track_descriptor(uint64_t uuid, const std::string& name, WireWriter& out, int64_t thread,
                                      bool counter, bool bytes) {
  Packet p(out);
  const size_t descriptor = out.begin(kTrackDescriptor);
  out.number(1, uuid);
  out.bytes(2, name);
  if (thread != 0) {
    const size_t t = out.begin(4);
    out.number(1, 1);  // pid
    out.number(2, static_cast<uint64_t>(thread));
    out.bytes(5, name);
    out.end(t);
  }
  out.number(5, kProcess);  // parent
  if (counter) {
    const size_t c = out.begin(8);
    if (bytes) out.number(3, 3);  // unit: bytes
    out.end(c);
  }
  out.end(descriptor);
}

void PerfettoMirror::describe(const Description& description, WireWriter& out) {
  if (const auto* graph = std::get_if<std::shared_ptr<const GraphInfo>>(&description)) {
    const size_t i = (*graph)->id.index();
    if (i > graphs_.size()) return;
    if (i == graphs_.size()) graphs_.emplace_back();
    graphs_[i] = *graph;
  } else if (const auto* thread = std::get_if<ThreadInfo>(&description)) {
    track_descriptor(track_uuid(thread->id), thread->name, out, thread->id.value + 2, false, false);
  } else if (const auto* counter = std::get_if<CounterInfo>(&description)) {
    track_descriptor(counter_uuid(counter->id.index()), counter->name, out, 0, true, counter->unit == "bytes");
  } else if (const auto* text = std::get_if<NameInfo>(&description)) {
    const size_t i = text->id.index();
    if (i > names_.size()) return;
    if (i == names_.size()) names_.emplace_back();
    names_[i] = text->text;
  } else if (const auto* run = std::get_if<RunInfo>(&description)) {
    if (run->id.index() == run_graphs_.size()) run_graphs_.push_back(run->graph);
    Packet p(out, run->begin, kSliceBegin, kRunsTrack);
    out.bytes(kCategories, "run");
    out.bytes(kName, "run " + std::to_string(run->id.value));
  } else if (const auto* end = std::get_if<RunEnd>(&description)) {
    Packet p(out, end->end, kSliceEnd, kRunsTrack);
  }
}

// The interning id of a span's name; `fresh` is set to the name on first use.
uint64_t PerfettoMirror::name(const Event& e, std::string& fresh) {
  fresh.clear();
  uint64_t key = uint64_t{static_cast<uint8_t>(e.kind())} << 60;
  const GraphInfo* graph = nullptr;
  if (e.kind() == EventKind::Work) {
    const size_t run = e.run().valid() ? e.run().index() : SIZE_MAX;
    const GraphId id = run < run_graphs_.size() ? run_graphs_[run] : GraphId::none();
    if (id.valid() && id.index() < graphs_.size()) graph = graphs_[id.index()].get();
    key |= uint64_t{e.id} << 24 | static_cast<uint64_t>(id.value + 1);
  } else if (e.kind() == EventKind::Slice || e.kind() == EventKind::Layer) {
    key |= e.id;
  }
  const NameId kernel = e.kind() == EventKind::Work ? e.kernel() : NameId::none();
  const auto [it, first] = interned_.try_emplace({key, kernel.value}, interned_.size() + 1);
  if (!first) return it->second;
  if (e.kind() == EventKind::Wait) {
    fresh = "barrier wait";
  } else if (e.kind() == EventKind::Between) {
    fresh = "between two nodes";
  } else if (e.kind() == EventKind::Copy) {
    fresh = "copy";
  } else if (e.kind() == EventKind::Work && graph != nullptr && e.id < graph->nodes.size()) {
    const TensorInfo& n = graph->nodes[e.id];
    fresh = n.name.empty() ? n.op : n.op + " " + n.name;
  } else if (e.kind() != EventKind::Work && e.id < names_.size()) {
    fresh = names_[e.id];
  }
  if (fresh.empty()) fresh = "node " + std::to_string(e.id);
  if (kernel.valid() && kernel.index() < names_.size()) fresh += " · " + names_[kernel.index()];
  return it->second;
}

void PerfettoMirror::span(TrackId track, const Event& e, WireWriter& out) {
  std::string fresh;
  const uint64_t iid = name(e, fresh);
  {
    Packet p(out, e.begin(), kSliceBegin, track_uuid(track), &fresh, iid);
    out.number(kNameIid, iid);
  }
  Packet p(out, e.end(), kSliceEnd, track_uuid(track));
}

void PerfettoMirror::memory(const Event& e, WireWriter& out) {
  const auto kind = static_cast<size_t>(e.memory_kind());
  if (kind >= kMemoryKinds) return;
  const bool is_active = e.kind() == EventKind::Alloc || e.kind() == EventKind::Free;
  const bool grows = e.kind() == EventKind::Alloc || e.kind() == EventKind::Reserve;
  double& now = (is_active ? active_ : reserved_)[kind];
  now += grows ? static_cast<double>(e.b) : -static_cast<double>(e.b);
  const size_t which = kind + (is_active ? 0 : kMemoryKinds);
  if (!memory_described_[which]) {
    memory_described_[which] = true;
    track_descriptor(kMemoryTrack + which, std::string(kMemoryKindNames[kind]) + (is_active ? " active" : " reserved"),
                     out, 0, true, true);
  }
  Packet p(out, e.time, kCounterType, kMemoryTrack + which);
  out.number(kCounterValue, static_cast<uint64_t>(static_cast<int64_t>(std::min(std::max(now, -9e18), 9e18))));
}

void PerfettoMirror::events(TrackId track, std::span<const Event> events, WireWriter& out) {
  for (const Event& e : events) {
    if (e.is_span()) {
      span(track, e, out);
    } else if (e.kind() >= EventKind::Alloc && e.kind() <= EventKind::Release) {
      memory(e, out);
    } else if (e.kind() == EventKind::Counter) {
      Packet p(out, e.time, kCounterType, counter_uuid(e.id));
      out.real(kDoubleCounterValue, __builtin_bit_cast(double, e.a));
    } else if (e.kind() == EventKind::Layer) {
      std::string fresh;
      const uint64_t iid = name(e, fresh);
      Packet p(out, e.time, kInstant, track_uuid(track), &fresh, iid);
      out.number(kNameIid, iid);
    }
  }
}

}  // namespace arenascope::trace
