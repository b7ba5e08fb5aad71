// SPDX-License-Identifier: MIT
// What the threads do in a run. Whether it is recorded or watched changes neither barriers nor order nor threads: each
// thread writes what it did to a ring of its own, outside of its waits, and what follows from plan and spans is left
// to whoever reads the recording.
#include <arenascope/runtime/executor.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <arenascope/runtime/barrier.h>

#include "engine/runtime/executor_shared.h"
#include "engine/runtime/single_thread_fallback.h"

namespace arenascope {

uint32_t Executor::step_of(size_t item) const {
  return item < items_.size() ? items_[item].step : static_cast<uint32_t>(plan_.steps.size());
}

// Looks at a step's result, where somebody wants to. False: the run ends.
bool Executor::looked_at(size_t step, Shared& shared) {
  const PlannedStep& done = plan_.steps[step];
  const bool there = done.tasks > 0 || (done.joined && options_.strategy == MemoryStrategy::Planned);
  if (!shared.options.after_node || !there) return true;
  if (auto ok = backend_.runs_on_host_threads() ? Status() : backend_.synchronize(); !ok) {
    shared.fail(ok.error());
    return false;
  }
  shared.aborted = !shared.options.after_node(done.node, Step(step));
  return !shared.aborted;
}

// Between two steps, on the first thread while the others wait: ends step `next - 1`, begins step `next`. False: stop.
bool Executor::between(size_t next, Shared& shared) {
  const RunOptions& options = shared.options;
  if (next > 0) {
    if (!looked_at(next - 1, shared)) return false;
    if (options_.strategy == MemoryStrategy::Eager) release_after(next - 1);
    if (options_.strategy != MemoryStrategy::None)
      for (NodeId id : packed_ends_[next - 1]) plan_.graph.node(id).storage = Storage(backend_.device());
  }
  if (next == plan_.steps.size()) return true;
  const PlannedStep& step = plan_.steps[next];
  if (step.tasks > 0 && options.control) {
    if (options.break_before && options.break_before(step.node, Step(next))) options.control->pause();
    bool paused = false;
    shared.aborted = !options.control->before(Step(next), &paused);
    if (paused) shared.done_between |= trace::kPaused;
    if (shared.aborted) return false;
  }
  Status bound = options_.strategy == MemoryStrategy::Eager ? allocate_output(next) : Status();
  if (bound.ok()) bound = allocate_packed(next);
  if (!bound) shared.fail(bound.error());
  return bound.ok();
}

void Executor::advance(size_t from, size_t to, Shared& shared) {
  for (size_t step = from; step <= to && !shared.stop; ++step) shared.stop = !between(step, shared);
}

// The first thread's alone, `done` items being done: all that has to happen before the next one.
Executor::Section Executor::between_items(size_t done, Shared& shared) {
  Section section;
  if (shared.ends_behind(done)) return section;
  section.done = done;
  section.begin = shared.clocked() ? shared.clock.now() : 0;
  shared.done_between = 0;
  if (shared.serial) {
    advance(done == 0 ? 0 : step_of(done - 1) + 1, step_of(done), shared);
  } else if (done < items_.size()) {
    bool paused = false;
    shared.aborted = shared.stop = !shared.options.control->before(Step(static_cast<int32_t>(step_of(done))), &paused);
    if (paused) shared.done_between |= trace::kPaused;
  }
  if (shared.options.control && shared.options.control->stepping()) shared.stepped = true;
  if (shared.stepped) shared.done_between |= trace::kStepped;
  if (shared.stop) shared.end_behind(done);
  section.flags = shared.done_between;
  section.end = shared.clocked() ? shared.clock.now() : 0;
  return section;
}

void Executor::record(const Section& section, const Shared& shared) {
  trace::ThreadRing* ring = rings_[0];
  if (!ring || section.end <= section.begin) return;
  const NodeId node = plan_.steps[step_of(section.done > 0 ? section.done - 1 : 0)].node;
  ring->record(trace::between(shared.run, node, section.begin, section.end, section.flags));
}

void Executor::compute_part(size_t at, int part, int ith, Shared& shared) {
  const Item& item = items_[at];
  trace::ThreadRing* ring = rings_[static_cast<size_t>(ith)];
  const Nanoseconds begin = ring ? shared.clock.now() : 0;
  const ComputeParams params{part, item.parts, item.work->data(), item.work->bytes()};
  if (auto ok = item.prepared->compute(params); !ok) [[unlikely]] {
    const PlannedStep& step = plan_.steps[item.step];
    shared.fail(
        Error{fmt::format("node {} '{}': {}", step.node.value, plan_.graph.node(step.node).name, ok.error().message)});
    shared.end_behind(at + 1);
  }
  if (ring) ring->record(trace::work(shared.run, plan_.steps[item.step].node, begin, shared.clock.now(), part));
}

// A thread takes its own parts one by one, then what others have not begun.
void Executor::compute_parts(size_t at, int ith, Shared& shared) {
  const Item& item = items_[at];
  const auto threads = static_cast<size_t>(options_.threads);
  Taken* taken = taken_.get() + (item.swapped ? threads : 0);
  // Nobody looks at the other set before the barrier behind this step, and all look at it only behind that.
  (taken_.get() + (item.swapped ? 0 : threads))[ith].count.store(0, std::memory_order_relaxed);
  for (int whose = 0; whose < item.tasks; ++whose) {
    const int owner = (ith + whose) % item.tasks;
    const int first = owner * item.parts / item.tasks, last = (owner + 1) * item.parts / item.tasks;
    while (true) {
      const int part = first + taken[owner].count.fetch_add(1, std::memory_order_relaxed);
      if (part >= last) break;
      compute_part(at, part, ith, shared);
    }
  }
}

void Executor::compute(size_t at, int ith, Shared& shared) {
  const Item& item = items_[at];
  if (ith >= item.tasks) return;
  if (item.parts == item.tasks)
    compute_part(at, ith, ith, shared);
  else
    compute_parts(at, ith, shared);
}

// Computes from `item` to the next item with a barrier behind it.
Executor::Stretch Executor::compute_stretch(size_t item, int ith, Shared& shared) {
  const bool timed = !shared.times.empty(), clocked = shared.clocked();
  const auto together = [&](size_t i) {  // no barrier behind it
    const Behind behind = items_[i].behind;
    return i + 1 < items_.size() && (behind == Behind::Row || (behind == Behind::Independent && !shared.serial));
  };
  Stretch stretch{item, clocked ? shared.clock.now() : 0, 0};
  while (true) {
    compute(item, ith, shared);
    stretch.arrive = clocked ? shared.clock.now() : 0;
    if (!together(item)) break;
    const bool row = items_[item].behind == Behind::Row;
    if (ith > 0 && row) {  // what is left of the row is the first thread's
      item = items_[item].row_end;
      continue;
    }
    if (timed) shared.slot(items_[item].step, ith) = {stretch.begin, stretch.arrive, stretch.arrive};
    stretch.begin = stretch.arrive;
    if (ith == 0 && (shared.serial || (row && shared.wanted()))) {
      const Section section = between_items(item + 1, shared);
      record(section, shared);
      stretch.begin = std::max(stretch.begin, section.end);
    }
    ++item;
    if (shared.ends_behind(item)) {  // the others are on their way to the next barrier
      while (together(item)) ++item;
      break;
    }
  }
  stretch.last = item;
  return stretch;
}

// Behind `done` items. Any thread may come by way of either function of the barrier, so the first one alone decides
// whether there is something to do; that the run became a stepped one is written while the others wait.
void Executor::meet(size_t done, int ith, Shared& shared) {
  const auto serially = [&] {
    shared.section = between_items(done, shared);
    if (shared.stepped) shared.serial = true;
  };
  const bool section = ith == 0 && (shared.serial || shared.wanted());
  if (shared.alone) {
    if (section) serially();
  } else if (section) {
    barrier_->meet(0, serially);
  } else if (shared.serial) {
    barrier_->meet(ith, [] {});
  } else {
    barrier_->meet(ith);
  }
}

void Executor::work(int ith, Shared& shared) {
  trace::ThreadRing* ring = rings_[static_cast<size_t>(ith)];
  for (size_t item = 0; item < items_.size() && !shared.ends_behind(item); ++item) {
    const Stretch stretch = compute_stretch(item, ith, shared);
    const auto nodes = static_cast<int64_t>(stretch.last - item) + 1;
    item = stretch.last;
    const uint32_t generation = barrier_->generation(ith);
    meet(item + 1, ith, shared);
    if (!shared.clocked()) continue;
    // What was done between the nodes is no wait.
    const Nanoseconds leave = shared.alone ? stretch.arrive : shared.clock.now_in_order();
    const Section section = shared.section;
    const bool in_section = section.done == item + 1 && !shared.alone;
    const Nanoseconds wait_end = in_section ? std::clamp(section.begin, stretch.arrive, leave) : leave;
    const Nanoseconds later = in_section ? std::max<Nanoseconds>(leave - section.end, 0) : 0;
    if (ring && !shared.alone)
      ring->record(
          trace::wait(shared.run, plan_.steps[items_[item].step].node, stretch.arrive, wait_end, generation, nodes));
    if (ith == 0 && section.done == item + 1) record(section, shared);
    if (!shared.times.empty()) shared.slot(items_[item].step, ith) = {stretch.begin, stretch.arrive, wait_end + later};
  }
}

// All parts of all nodes, on the first thread.
void Executor::work_by_itself(Shared& shared) {
  const bool timed = !shared.times.empty();
  for (size_t at = 0; at < items_.size() && !shared.ends_behind(at); ++at) {
    if (at > 0 && shared.wanted()) {
      record(between_items(at, shared), shared);
      if (shared.stop) break;
    }
    const Nanoseconds begin = timed ? shared.clock.now() : 0;
    for (int part = 0; part < items_[at].parts; ++part) compute_part(at, part, 0, shared);
    if (!timed) continue;
    const Nanoseconds end = shared.clock.now();
    shared.slot(items_[at].step, 0) = {begin, end, end};
  }
}

Status Executor::begin_run(const Shared& shared) {
  // What changes its place from run to run cannot be replayed, nor what the host does or somebody looks at.
  const bool as_one = !shared.serial && !shared.options.timed && !options_.recorder && !shared.options.control &&
                      !host_ && transfers_.empty();
  if (auto ok = steps_.main->begin_run(as_one); !ok || !host_) return ok;
  return steps_.host->begin_run(as_one);
}

Result<RunReport> Executor::run(const RunOptions& options) {
  if (!prepared_) return Error{"the executor has no plan that was prepared"};
  const trace::Clock monotonic;
  Shared shared(options, options_.recorder ? options_.recorder->clock() : monotonic, options_.recorder != nullptr,
                options_.threads, options.timed ? plan_.steps.size() : 0);
  shared.alone = alone_ || options_.threads == 1;
  shared.stepped = options.after_node || options.break_before || (options.control && options.control->stepping());
  shared.serial = shared.stepped || any_packed_ || options_.strategy == MemoryStrategy::Eager;
  const bool may_fall_back = !shared.serial && !shared.alone && !options_.hold_threads;
  shared.by_itself = may_fall_back && fallback_->choose_single();
  for (size_t i = 0; i < 2 * static_cast<size_t>(options_.threads); ++i)
    taken_[i].count.store(0, std::memory_order_relaxed);
  const bool on_device = !backend_.runs_on_host_threads();
  const bool asks_device = on_device && options.timed && !options_.recorder;
  if (asks_device) backend_.keep_spans(true);
  const uint32_t first_generation = barrier_->generation(0);
  if (options_.recorder) begin_recording(shared);
  const Nanoseconds begin = shared.clock.now();
  if (auto ok = begin_run(shared); !ok) {
    shared.fail(ok.error());
  } else {
    const auto part = [&](int ith) { shared.by_itself ? work_by_itself(shared) : work(ith, shared); };
    if (shared.serial || shared.wanted()) {
      record(between_items(0, shared), shared);
      shared.serial = shared.serial || shared.stepped;
    }
    shared.alone || shared.by_itself ? pool_->run_alone(part) : pool_->run(part);
  }
  if (auto ok = on_device ? backend_.synchronize() : Status(); !ok) shared.fail(ok.error());
  RunReport report;
  report.nanoseconds = shared.clock.now() - begin;
  report.threads = shared.threads_used();
  report.fell_back = shared.by_itself;
  report.barriers = barrier_->generation(0) - first_generation;
  report.stepped = shared.stepped;
  report.aborted = shared.aborted;
  if (may_fall_back && !shared.stepped) fallback_->note(shared.by_itself, report.nanoseconds, *pool_);
  std::vector<DeviceSpan> spans;
  if (on_device && (options_.recorder || options.timed))
    spans = backend_.take_spans([&] { return shared.clock.now(); });
  if (asks_device) backend_.keep_spans(false);
  if (options_.recorder) end_recording(shared, spans, begin + report.nanoseconds);
  if (!shared.error.ok()) return shared.error.error();
  if (options.timed) fill_times(shared, spans, report);
  return report;
}

}  // namespace arenascope
