// SPDX-License-Identifier: MIT
#include "engine/attach/origin.h"

#include <arenascope/trace/owner.h>

#include <algorithm>

namespace arenascope::attach {

using namespace trace;

namespace {

// Nobody describes more; an attacker may try.
constexpr std::array<size_t, kNumbered> kMost = {1 << 20, 1 << 20, 1 << 16, (1 << 24) - 2, 1 << 20,
                                                 4095,    65535,   1 << 16, 1 << 22};
constexpr uint32_t kNone24 = 0xffffff;

void set_extra(Event& event, uint32_t extra) { event.kind_extra = (event.kind_extra & 0xff) | extra << 8; }

}  // namespace

int32_t Origin::number(Numbered what, int32_t theirs, bool define) {
  const auto kind = static_cast<size_t>(what);
  auto& known = ours_[kind];
  if (theirs < 0) return -1;
  const auto index = static_cast<size_t>(theirs);
  if (index < known.size()) return known[index];
  if (!define || index != known.size() || static_cast<size_t>(numbers_.next[kind]) >= kMost[kind]) return -1;
  known.push_back(numbers_.next[kind]++);
  return known.back();
}

template <class I>
bool Origin::define(Numbered what, I& id) {
  id = I(number(what, id.value, true));
  if (!id.valid()) ++refused_;
  return id.valid();
}

// None stays none. False: it was never described.
template <class I>
bool Origin::refer(Numbered what, I& id) {
  if (!id.valid()) return true;
  id = I(number(what, id.value));
  if (!id.valid()) ++refused_;
  return id.valid();
}

void Origin::call(const std::string& program, int64_t rank) {
  const bool first = numbers_.programs++ == 0;
  program_ = rank < 0 ? program : "rank " + std::to_string(rank) + ", " + program;
  if (rank >= 0)
    whose_ = "rank " + std::to_string(rank);
  else if (!first)
    whose_ = program + " " + std::to_string(process_);
}

void Origin::describe(const Description& description) {
  std::visit([this](const auto& d) { take(d); }, description);
}

void Origin::take(std::shared_ptr<const GraphInfo> graph) {
  auto mine = *graph;
  mine.model = named(mine.model);
  if (define(Numbered::Graph, mine.id)) out_.describe(std::make_shared<const GraphInfo>(std::move(mine)));
}
void Origin::take(std::shared_ptr<const PlanInfo> plan) {
  auto mine = *plan;
  if (refer(Numbered::Graph, mine.graph) && define(Numbered::Plan, mine.id))
    out_.describe(std::make_shared<const PlanInfo>(std::move(mine)));
}
void Origin::take(std::shared_ptr<const ContextInfo> context) {
  auto mine = *context;
  if (define(Numbered::Context, mine.id)) out_.describe(std::make_shared<const ContextInfo>(std::move(mine)));
}
void Origin::take(RunInfo run) {
  const size_t theirs = run.id.valid() ? run.id.index() : SIZE_MAX;
  // A run is said once: a session knows no second beginning.
  if (theirs != ours_[static_cast<size_t>(Numbered::Run)].size()) {
    ++refused_;
    return;
  }
  if (!refer(Numbered::Graph, run.graph) || !refer(Numbered::Plan, run.plan) || !refer(Numbered::Track, run.lead) ||
      !define(Numbered::Run, run.id))
    return;
  running_.push_back(true);
  latest_ = std::max(latest_, run.begin);
  out_.describe(run);
}
void Origin::take(RunEnd end) {
  ++ends_;
  if (end.id.valid() && end.id.index() < running_.size()) running_[end.id.index()] = false;
  if (end.id.valid() && refer(Numbered::Run, end.id)) out_.describe(end);
}
void Origin::take(ThreadInfo thread) {
  if (process_ != 0) thread.process = process_;
  thread.program = program_;
  if (refer(Numbered::Device, thread.device) && define(Numbered::Track, thread.id)) out_.describe(thread);
}
void Origin::take(DeviceInfo device) {
  device.name = named(device.name);
  if (define(Numbered::Device, device.id)) out_.describe(device);
}
void Origin::take(AllocatorInfo allocator) {
  const int32_t mine =
      allocator.id > INT32_MAX ? -1 : number(Numbered::Allocator, static_cast<int32_t>(allocator.id), true);
  if (mine < 0 || !refer(Numbered::Device, allocator.device)) {
    ++refused_;
    return;
  }
  allocator.id = static_cast<uint32_t>(mine);
  allocator.name = named(allocator.name);
  out_.describe(allocator);
}
void Origin::take(CounterInfo counter) {
  if (define(Numbered::Counter, counter.id)) out_.describe(counter);
}
void Origin::take(NameInfo name) {
  if (define(Numbered::Name, name.id)) out_.describe(name);
}
void Origin::take(Problem problem) {
  if (refer(Numbered::Run, problem.run)) out_.describe(problem);
}
void Origin::take(Loss loss) {
  const auto theirs = loss.track;
  if (!loss.track.valid() || loss.count < 0 || loss.count > INT64_MAX / 4 || !refer(Numbered::Track, loss.track))
    return;
  int64_t& told = lost_[theirs.value];
  told = std::min(told + loss.count, INT64_MAX / 4);
  events_lost_ = std::min(events_lost_ + loss.count, INT64_MAX / 4);
  out_.describe(loss);
}
void Origin::take(TuningInfo tuning) {
  if (refer(Numbered::Run, tuning.run)) out_.describe(tuning);
}
void Origin::take(ClockInfo clock) {
  if (refer(Numbered::Device, clock.device)) out_.describe(clock);
}

void Origin::take(AllocatorState state) {
  const int32_t mine =
      state.allocator > INT32_MAX ? -1 : number(Numbered::Allocator, static_cast<int32_t>(state.allocator));
  if (mine < 0) return;
  state.allocator = static_cast<uint32_t>(mine);
  out_.describe(std::move(state));
}
void Origin::take(PoolInfo pool) {
  if (refer(Numbered::Device, pool.device) && refer(Numbered::Run, pool.run)) out_.describe(std::move(pool));
}
void Origin::take(ReplayInfo replay) {
  if (refer(Numbered::Device, replay.device) && refer(Numbered::Run, replay.run)) out_.describe(replay);
}

void Origin::take(StackInfo stack) {
  for (StackFrame& frame : stack.frames)
    if (!refer(Numbered::Name, frame.function) || !refer(Numbered::Name, frame.file)) return;
  out_.describe(std::move(stack));
}

bool Origin::translate_memory(Event& event) {
  const int32_t mine = number(Numbered::Allocator, static_cast<int32_t>(event.allocator()));
  if (mine < 0) return false;
  set_extra(event, (event.extra() & 0xff) | static_cast<uint32_t>(mine) << 8);
  return true;
}

// Whose memory it is: the allocator stands beside the bytes.
bool Origin::translate_owner(Event& event) {
  const GraphId theirs = owner_graph(event);
  const int32_t allocator = number(Numbered::Allocator, static_cast<int32_t>(owner_allocator(event)));
  const int32_t graph = number(Numbered::Graph, theirs.value);
  if (allocator < 0 || event.b < 0 || (theirs.valid() && graph < 0)) return false;
  event = owner(event.time, static_cast<uint64_t>(event.a), owned_bytes(event), static_cast<uint32_t>(allocator),
                theirs.valid() ? GraphId(graph) : theirs, TensorRef{event.id});
  return true;
}

// False: it refers to something that was never described.
bool Origin::translate(Event& event) {
  const auto run = [&] {
    if (event.extra() == kNone24) return true;
    const int32_t mine = number(Numbered::Run, static_cast<int32_t>(event.extra()));
    if (mine >= 0) set_extra(event, static_cast<uint32_t>(mine));
    return mine >= 0;
  };
  const auto id = [&](Numbered what) {
    const int32_t mine = event.id > INT32_MAX ? -1 : number(what, static_cast<int32_t>(event.id));
    if (mine >= 0) event.id = static_cast<uint32_t>(mine);
    return mine >= 0;
  };
  const auto device = [&](uint32_t theirs) -> uint32_t {
    const int32_t mine = theirs == 0xfff ? -1 : number(Numbered::Device, static_cast<int32_t>(theirs));
    return mine < 0 ? 0xfff : static_cast<uint32_t>(mine);
  };
  if (event.kind() == kOwnerEvent) return translate_owner(event);
  switch (event.kind()) {
    case EventKind::Work: {
      const NameId theirs = event.kernel();
      const int32_t mine = theirs.valid() ? number(Numbered::Name, theirs.value) : -1;
      event.b = event.chunk() | static_cast<int64_t>(mine + 1) << 32;
      return run();
    }
    case EventKind::Wait:
    case EventKind::Between:
    case EventKind::Step:
    case EventKind::SliceLive:
    case EventKind::SliceDead:
    case EventKind::SeenWrite:
    case EventKind::SeenRead: return run();
    case EventKind::Alloc:
    case EventKind::Free:
    case EventKind::Reserve:
    case EventKind::Release: return translate_memory(event);
    case EventKind::ContextObject: return id(Numbered::Context);
    case EventKind::Counter: return id(Numbered::Counter);
    case EventKind::Slice: return id(Numbered::Name);
    case EventKind::Layer: return id(Numbered::Name) && run();
    case EventKind::Copy:
      set_extra(event, device(event.extra() & 0xfff) | device(event.extra() >> 12) << 12);
      return true;
    case EventKind::None: return false;
  }
  return false;  // of a later version
}

void Origin::events(TrackId track, std::span<const Event> events) {
  const TrackId theirs = track;
  const auto count = static_cast<int64_t>(events.size());
  if (!track.valid() || !refer(Numbered::Track, track)) return;
  translated_.clear();
  for (Event event : events) {
    latest_ = std::max({latest_, event.begin(), event.end()});
    if (translate(event))
      translated_.push_back(event);
    else
      ++refused_;
  }
  taken_[theirs.value] += count;
  events_ += count;
  if (!translated_.empty()) out_.events(track, translated_);
}

void Origin::finish(Nanoseconds time) {
  const auto& runs = ours_[static_cast<size_t>(Numbered::Run)];
  for (size_t i = 0; i < running_.size(); ++i)
    if (running_[i]) out_.describe(RunEnd{RunId(runs[i]), time, RunStatus::Aborted});
  running_.clear();
}

}  // namespace arenascope::attach
