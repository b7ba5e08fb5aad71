// SPDX-License-Identifier: MIT
#include "engine/attach/id_remapper.h"

#include <arenascope/trace/bind_event.h>

#include <algorithm>

namespace arenascope::attach {

using namespace trace;

namespace {

// Limits beyond any real program, against malicious input.
constexpr std::array<size_t, kIdKinds> kMaxIds = {1 << 20, 1 << 20, 1 << 16, (1 << 24) - 2, 1 << 20,
                                                  4095,    65535,   1 << 16, 1 << 22};
constexpr uint32_t kNone24 = 0xffffff;

void set_extra(Event& event, uint32_t extra) { event.kind_extra = (event.kind_extra & 0xff) | extra << 8; }

}  // namespace

int32_t IdRemapper::number(IdKind what, int32_t theirs, bool define) {
  const auto kind = static_cast<size_t>(what);
  auto& known = ours_[kind];
  if (theirs < 0) return -1;
  const auto index = static_cast<size_t>(theirs);
  if (index < known.size()) return known[index];
  if (!define || index != known.size() || static_cast<size_t>(counters_.next[kind]) >= kMaxIds[kind]) return -1;
  known.push_back(counters_.next[kind]++);
  return known.back();
}

template <class I>
bool IdRemapper::define(IdKind what, I& id) {
  id = I(number(what, id.value, true));
  if (!id.valid()) ++refused_;
  return id.valid();
}

// Maps an id in place; none stays none. Returns false if the id was never described.
template <class I>
bool IdRemapper::refer(IdKind what, I& id) {
  if (!id.valid()) return true;
  id = I(number(what, id.value));
  if (!id.valid()) ++refused_;
  return id.valid();
}

void IdRemapper::call(const std::string& program, int64_t rank) {
  const bool first = counters_.programs++ == 0;
  program_ = rank < 0 ? program : "rank " + std::to_string(rank) + ", " + program;
  if (rank >= 0)
    whose_ = "rank " + std::to_string(rank);
  else if (!first)
    whose_ = program + " " + std::to_string(process_);
}

void IdRemapper::describe(const Description& description) {
  std::visit([this](const auto& d) { take(d); }, description);
}

void IdRemapper::take(std::shared_ptr<const GraphInfo> graph) {
  auto mine = *graph;
  mine.model = named(mine.model);
  if (define(IdKind::Graph, mine.id)) out_.describe(std::make_shared<const GraphInfo>(std::move(mine)));
}
void IdRemapper::take(std::shared_ptr<const PlanInfo> plan) {
  auto mine = *plan;
  if (refer(IdKind::Graph, mine.graph) && define(IdKind::Plan, mine.id))
    out_.describe(std::make_shared<const PlanInfo>(std::move(mine)));
}
void IdRemapper::take(std::shared_ptr<const ContextInfo> context) {
  auto mine = *context;
  if (define(IdKind::Context, mine.id)) out_.describe(std::make_shared<const ContextInfo>(std::move(mine)));
}
void IdRemapper::take(RunInfo run) {
  const size_t theirs = run.id.valid() ? run.id.index() : SIZE_MAX;
  // A run may be described only once: a session cannot handle a second begin.
  if (theirs != ours_[static_cast<size_t>(IdKind::Run)].size()) {
    ++refused_;
    return;
  }
  if (!refer(IdKind::Graph, run.graph) || !refer(IdKind::Plan, run.plan) || !refer(IdKind::Track, run.lead) ||
      !define(IdKind::Run, run.id))
    return;
  running_.push_back(true);
  latest_ = std::max(latest_, run.begin);
  out_.describe(run);
}
void IdRemapper::take(RunEnd end) {
  ++ends_;
  if (end.id.valid() && end.id.index() < running_.size()) running_[end.id.index()] = false;
  if (end.id.valid() && refer(IdKind::Run, end.id)) out_.describe(end);
}
void IdRemapper::take(ThreadInfo thread) {
  if (process_ != 0) thread.process = process_;
  thread.program = program_;
  if (refer(IdKind::Device, thread.device) && define(IdKind::Track, thread.id)) out_.describe(thread);
}
void IdRemapper::take(DeviceInfo device) {
  device.name = named(device.name);
  if (define(IdKind::Device, device.id)) out_.describe(device);
}
void IdRemapper::take(AllocatorInfo allocator) {
  const int32_t mine =
      allocator.id > INT32_MAX ? -1 : number(IdKind::Allocator, static_cast<int32_t>(allocator.id), true);
  if (mine < 0 || !refer(IdKind::Device, allocator.device)) {
    ++refused_;
    return;
  }
  allocator.id = static_cast<uint32_t>(mine);
  allocator.name = named(allocator.name);
  out_.describe(allocator);
}
void IdRemapper::take(CounterInfo counter) {
  if (define(IdKind::Counter, counter.id)) out_.describe(counter);
}
void IdRemapper::take(NameInfo name) {
  if (define(IdKind::Name, name.id)) out_.describe(name);
}
void IdRemapper::take(Problem problem) {
  if (refer(IdKind::Run, problem.run)) out_.describe(problem);
}
void IdRemapper::take(Loss loss) {
  const auto theirs = loss.track;
  if (!loss.track.valid() || loss.count < 0 || loss.count > INT64_MAX / 4 || !refer(IdKind::Track, loss.track)) return;
  int64_t& total_lost = lost_[theirs.value];
  total_lost = std::min(total_lost + loss.count, INT64_MAX / 4);
  events_lost_ = std::min(events_lost_ + loss.count, INT64_MAX / 4);
  out_.describe(loss);
}
void IdRemapper::take(TuningInfo tuning) {
  if (refer(IdKind::Run, tuning.run)) out_.describe(tuning);
}
void IdRemapper::take(ClockInfo clock) {
  if (refer(IdKind::Device, clock.device)) out_.describe(clock);
}

void IdRemapper::take(AllocatorState state) {
  const int32_t mine =
      state.allocator > INT32_MAX ? -1 : number(IdKind::Allocator, static_cast<int32_t>(state.allocator));
  if (mine < 0) return;
  state.allocator = static_cast<uint32_t>(mine);
  out_.describe(std::move(state));
}
void IdRemapper::take(PoolInfo pool) {
  if (refer(IdKind::Device, pool.device) && refer(IdKind::Run, pool.run)) out_.describe(std::move(pool));
}
void IdRemapper::take(ReplayInfo replay) {
  if (refer(IdKind::Device, replay.device) && refer(IdKind::Run, replay.run)) out_.describe(replay);
}

void IdRemapper::take(StackInfo stack) {
  for (StackFrame& frame : stack.frames)
    if (!refer(IdKind::Name, frame.function) || !refer(IdKind::Name, frame.file)) return;
  out_.describe(std::move(stack));
}

bool IdRemapper::translate_memory(Event& event) {
  const int32_t mine = number(IdKind::Allocator, static_cast<int32_t>(event.allocator()));
  if (mine < 0) return false;
  set_extra(event, (event.extra() & 0xff) | static_cast<uint32_t>(mine) << 8);
  return true;
}

// Remaps an Owner event, which packs the allocator together with the byte count.
bool IdRemapper::translate_owner(Event& event) {
  const GraphId theirs = bound_graph(event);
  const int32_t allocator = number(IdKind::Allocator, static_cast<int32_t>(bound_allocator(event)));
  const int32_t graph = number(IdKind::Graph, theirs.value);
  if (allocator < 0 || event.b < 0 || (theirs.valid() && graph < 0)) return false;
  event = owner(event.time, static_cast<uint64_t>(event.a), bound_bytes(event), static_cast<uint32_t>(allocator),
                theirs.valid() ? GraphId(graph) : theirs, TensorRef{event.id});
  return true;
}

// Returns false if the event refers to an undescribed object.
bool IdRemapper::translate(Event& event) {
  const auto run = [&] {
    if (event.extra() == kNone24) return true;
    const int32_t mine = number(IdKind::Run, static_cast<int32_t>(event.extra()));
    if (mine >= 0) set_extra(event, static_cast<uint32_t>(mine));
    return mine >= 0;
  };
  const auto id = [&](IdKind what) {
    const int32_t mine = event.id > INT32_MAX ? -1 : number(what, static_cast<int32_t>(event.id));
    if (mine >= 0) event.id = static_cast<uint32_t>(mine);
    return mine >= 0;
  };
  const auto device = [&](uint32_t theirs) -> uint32_t {
    const int32_t mine = theirs == 0xfff ? -1 : number(IdKind::Device, static_cast<int32_t>(theirs));
    return mine < 0 ? 0xfff : static_cast<uint32_t>(mine);
  };
  switch (event.kind()) {
    case EventKind::Work: {
      const NameId theirs = event.kernel();
      const int32_t mine = theirs.valid() ? number(IdKind::Name, theirs.value) : -1;
      event.b = event.chunk() | static_cast<int64_t>(mine + 1) << 32;
      return run();
    }
    case EventKind::Bind: return translate_owner(event);
    case EventKind::Wait:
    case EventKind::Between:
    case EventKind::Step:
    case EventKind::SliceLive:
    case EventKind::SliceDead:
    case EventKind::ArenaWrite:
    case EventKind::ArenaRead: return run();
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::Reserve:
    case EventKind::Release: return translate_memory(event);
    case EventKind::ContextObject: return id(IdKind::Context);
    case EventKind::Counter: return id(IdKind::Counter);
    case EventKind::Slice: return id(IdKind::Name);
    case EventKind::Layer: return id(IdKind::Name) && run();
    case EventKind::Copy:
      set_extra(event, device(event.extra() & 0xfff) | device(event.extra() >> 12) << 12);
      return true;
    case EventKind::None: return false;
  }
  return false;  // written by a later version
}

void IdRemapper::events(std::span<const TrackEvent> events) {
  translated_.clear();
  for (TrackEvent one : events) {
    const TrackId theirs = one.track;
    if (!theirs.valid() || !refer(IdKind::Track, one.track)) continue;
    latest_ = std::max({latest_, one.event.begin(), one.event.end()});
    ++taken_[theirs.value];
    ++events_;
    if (translate(one.event))
      translated_.push_back(one);
    else
      ++refused_;
  }
  if (!translated_.empty()) out_.events(translated_);
}

void IdRemapper::finish(Nanoseconds time) {
  const auto& runs = ours_[static_cast<size_t>(IdKind::Run)];
  for (size_t i = 0; i < running_.size(); ++i)
    if (running_[i]) out_.describe(RunEnd{RunId(runs[i]), time, RunStatus::Aborted});
  running_.clear();
}

}  // namespace arenascope::attach
