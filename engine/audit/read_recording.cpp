// SPDX-License-Identifier: MIT
// Arenascope recordings: converts the decoded messages, entry by entry.
#include <arenascope/trace/bind_event.h>
#include <arenascope/trace/recording.h>

#include <unordered_map>

#include "engine/audit/raw_events.h"

namespace arenascope::audit {

namespace {

using trace::Event;
using trace::EventKind;

constexpr Nanoseconds kLongest = INT64_MAX / 4;  // larger values are not times

class Collector : public trace::Sink {
 public:
  explicit Collector(Raw& raw) : raw_(raw) {}

  void describe(const trace::Description& description) override {
    std::visit([this](const auto& d) { note(d); }, description);
  }
  using Sink::events;
  void events(std::span<const trace::TrackEvent> events) override {
    for (const auto& [track, event] : events) {
      if (!raw_.tracks.contains(track.value)) continue;
      note(track.value, event);
      // A span is recorded when it ends.
      auto& until = raw_.recorded_until.try_emplace(track.value, INT64_MIN).first->second;
      until = std::max(until, event.end());
    }
  }
  // Spans refer to their names by number.
  void finish() {
    for (const auto& [id, allocator] : allocators_)
      raw_.allocator_kinds[static_cast<uint32_t>(id)] = trace::kMemoryKindNames[static_cast<size_t>(allocator.kind)];
    for (RawSpan& span : raw_.spans)
      if (span.kind == SpanKind::Named)
        span.name = names_[span.node], span.node = -1;
      else if (const auto name = names_.find(span.kernel); name != names_.end())
        span.name = name->second;
    for (size_t i = 0; i < raw_.spaces.size(); ++i) {
      raw_.spaces[i].allocator = numbers_[i];
      const trace::AllocatorInfo* info = nullptr;
      if (const auto it = allocators_.find(numbers_[i]); it != allocators_.end()) info = &it->second;
      if (info == nullptr) continue;
      if (!info->name.empty()) raw_.spaces[i].name = info->name;
      const bool pinned = info->kind == trace::MemoryKind::HostPinned;
      raw_.spaces[i].in_main_memory = pinned || info->kind == trace::MemoryKind::HostPageable;
      if (const auto device = raw_.devices.find(info->device.value); device != raw_.devices.end())
        raw_.spaces[i].device = device->second.name, raw_.spaces[i].in_main_memory |= device->second.host;
    }
  }

 private:
  void note(const std::shared_ptr<const trace::GraphInfo>& graph) { raw_.graphs[graph->id.value] = *graph; }
  void note(const std::shared_ptr<const trace::PlanInfo>& plan) { raw_.plans[plan->id.value] = *plan; }
  void note(const std::shared_ptr<const trace::ContextInfo>& context) { raw_.contexts[context->id.value] = *context; }
  void note(const trace::Problem&) { ++raw_.problems; }
  void note(const trace::TuningInfo& tuning) {
    ++raw_.tunings;
    raw_.max_tried = std::max<int64_t>(raw_.max_tried, tuning.tried);
  }
  template <class T>
  void note(const T&) {}  // other records produce no metrics
  void note(const trace::RunInfo& run) {
    raw_.runs[run.id.value].info = run;
    if (run.begin >= -kLongest && run.begin <= kLongest) raw_.reach(run.begin, run.begin);
  }
  void note(const trace::RunEnd& end) {
    const auto it = raw_.runs.find(end.id.value);
    if (it == raw_.runs.end()) return;
    it->second.ended = true, it->second.end = end;
    const Nanoseconds last = std::max(end.end, it->second.info.begin);
    if (last >= -kLongest && last <= kLongest) raw_.reach(last, last);
    if (end.stepped) note_stepped(end.id.value);
  }
  void note(const trace::ThreadInfo& thread) { raw_.tracks[thread.id.value] = thread; }
  void note(const trace::DeviceInfo& device) { raw_.devices[device.id.value] = device; }
  void note(const trace::AllocatorInfo& allocator) { allocators_[allocator.id] = allocator; }
  void note(const trace::CounterInfo& counter) {
    raw_.counters[counter.id.value] = counter.name;
    if (counter.role == trace::CounterRole::Resident && raw_.resident < 0) raw_.resident = counter.id.value;
    if (counter.role == trace::CounterRole::CacheFilled && raw_.cache_filled < 0) raw_.cache_filled = counter.id.value;
  }
  void note(const trace::AllocatorState& state) { raw_.allocator_states[state.allocator] = state; }
  void note(const trace::ClockInfo& clock) { raw_.clock_errors[clock.device.value] = clock.error; }
  void note(const trace::NameInfo& name) { names_[name.id.value] = name.text; }
  // Their run is unknown: one of those in progress, or the newest.
  void note(const trace::Loss& loss) {
    raw_.lost += loss.count;
    bool found = false;
    for (auto& [id, run] : raw_.runs)
      if (!run.ended) run.lost += loss.count, found = true;
    if (!found && !raw_.runs.empty()) raw_.runs.rbegin()->second.lost += loss.count;
  }

  void note(int32_t track, const Event& e) {
    if (e.time < -kLongest || e.time > kLongest) return;
    switch (e.kind()) {
      case EventKind::Work:
      case EventKind::Wait:
      case EventKind::Copy:
      case EventKind::Slice: return span(track, e);
      case EventKind::Bind:
        if (e.b >= 0) own(e);
        return;
      case EventKind::Between:
        if (e.a < e.time || e.a > kLongest) return;
        if (const auto run = raw_.runs.find(e.run().value); run != raw_.runs.end() && (e.b & trace::kPaused) != 0)
          run->second.pauses.push_back({e.time, e.a});
        if ((e.b & trace::kStepped) != 0) note_stepped(e.run().value);
        raw_.betweens.push_back({track, e.run().value, e.node().value, e.time, e.a, (e.b & trace::kPaused) != 0});
        return raw_.cover(e.time, e.a);
      case EventKind::Alloc: return memory(track, e, MemoryAction::Alloc);
      case EventKind::Free: return memory(track, e, MemoryAction::Free);
      case EventKind::Reserve: return memory(track, e, MemoryAction::Reserve);
      case EventKind::Release: return memory(track, e, MemoryAction::Release);
      case EventKind::SliceLive:
      case EventKind::SliceDead:
        if (e.a < 0 || e.b < 0) return;
        raw_.lives.push_back({e.time, e.kind() == EventKind::SliceLive, trace::TensorRef{e.id}, e.slice_offset(),
                              e.slice_bytes(), e.slice_step().value, track,
                              raw_.runs.contains(e.run().value) ? e.run().value : -1, raw_.events});
        return raw_.cover(e.time, e.time);
      case EventKind::Step:
        if (e.a < 0 || e.a >= INT32_MAX) return;
        raw_.marks.push_back({e.time, e.run().value, static_cast<int32_t>(e.a), e.node().value, track, raw_.events});
        return raw_.cover(e.time, e.time);
      case EventKind::Counter:
        if (!raw_.counters.contains(static_cast<int32_t>(e.id))) return;
        raw_.samples.push_back({static_cast<int32_t>(e.id), e.time, __builtin_bit_cast(double, e.a)});
        return raw_.cover(e.time, e.time);
      case EventKind::ArenaWrite:
      case EventKind::ArenaRead:
        if (e.a < 0 || e.b < 0) return;
        raw_.touches.push_back({raw_.runs.contains(e.run().value) ? e.run().value : -1, trace::TensorRef{e.id},
                                e.slice_offset(), e.slice_bytes()});
        return raw_.cover(e.time, e.time);
      case EventKind::ContextObject:
        if (in_arena(e)) raw_.cover(e.time, e.time);
        return;
      case EventKind::Layer: return raw_.cover(e.time, e.time);
      case EventKind::None: return;
    }
  }

  void note_stepped(int32_t run) {
    if (const auto it = raw_.runs.find(run); it != raw_.runs.end()) it->second.info.stepped = true;
  }
  static bool in_arena(const Event& e) { return e.a >= 0 && e.b >= 0 && e.a <= INT64_MAX - e.b; }

  void span(int32_t track, const Event& e) {
    if (e.a < e.time || e.a > kLongest) return;
    RawSpan s;
    s.track = track;
    s.begin = e.time;
    s.end = e.a;
    s.node = e.node().value;
    switch (e.kind()) {
      case EventKind::Work:
        s.kind = SpanKind::Work;
        s.run = e.run().value;
        s.part = e.b & 0xffffffff;
        s.kernel = static_cast<int32_t>((static_cast<uint64_t>(e.b) >> 32) - 1);
        break;
      case EventKind::Wait:
        s.kind = SpanKind::Wait;
        s.run = e.run().value;
        s.generation = e.generation();
        s.nodes = e.nodes();
        break;
      case EventKind::Copy:
        if (e.b < 0) return;
        s.kind = SpanKind::Copy;
        s.bytes = e.b;
        break;
      default:
        if (e.b < 0) return;
        s.depth = e.b;  // its name replaces the number at the end
    }
    raw_.spans.push_back(std::move(s));
    raw_.cover(e.time, e.a);
  }

  void memory(int32_t track, const Event& e, MemoryAction action) {
    const size_t kind = e.extra() & 0xff;
    if (kind >= trace::kMemoryKinds || e.b < 0) return;
    const auto [it, fresh] = spaces_.try_emplace(e.extra(), static_cast<int32_t>(raw_.spaces.size()));
    if (fresh) {
      RawSpace space;
      space.kind = trace::kMemoryKindNames[kind];
      space.name = "allocator " + std::to_string(e.allocator());
      raw_.spaces.push_back(std::move(space));
      numbers_.push_back(e.allocator());
    }
    RawMemory m;
    m.time = e.time;
    m.action = action;
    m.space = it->second;
    m.address = static_cast<uint64_t>(e.a);
    m.bytes = e.b;
    m.id = e.id;
    m.track = track;
    raw_.memory.push_back(m);
    raw_.cover(e.time, e.time);
  }

  // It follows the event that it refers to.
  void own(const Event& e) {
    raw_.cover(e.time, e.time);
    for (auto m = raw_.memory.rbegin(); m != raw_.memory.rend(); ++m) {
      const bool same = m->address == static_cast<uint64_t>(e.a) &&
                        numbers_[static_cast<size_t>(m->space)] == trace::bound_allocator(e);
      if (!same || (m->action != MemoryAction::Alloc && m->action != MemoryAction::Free)) continue;
      if (m->action == MemoryAction::Free) return;
      m->asked = std::min(trace::bound_bytes(e), m->bytes);
      if (trace::bound_graph(e).valid()) m->graph = trace::bound_graph(e).value, m->tensor = trace::TensorRef{e.id};
      return;
    }
  }

  Raw& raw_;
  std::map<int32_t, std::string> names_;
  std::map<uint32_t, trace::AllocatorInfo> allocators_;
  std::unordered_map<uint32_t, int32_t> spaces_;  // by kind and allocator
  std::vector<uint32_t> numbers_;                 // each space's allocator
};

}  // namespace

Result<Raw> read_recording(ByteSpan bytes, const std::string& name) {
  Raw raw;
  raw.format = "Arenascope recording";
  Collector collector(raw);
  const auto read = trace::read_recording(bytes, name, collector, {.in_file_order = true});
  if (!read) return read.error();
  raw.problem = read->problem;
  raw.closed = read->closed;
  collector.finish();
  derive_steps(raw);
  return raw;
}

}  // namespace arenascope::audit
