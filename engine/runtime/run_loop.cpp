// SPDX-License-Identifier: MIT
#include "engine/runtime/run_loop.h"

#include <algorithm>
#include <unordered_map>

#include <arenascope/base/refused_memory.h>
#include <arenascope/base/step_number.h>
#include <fmt/format.h>

namespace arenascope {

RunLoop::RunLoop(const RunSetup& setup, const RunOptions& options, const trace::Clock& clock, bool recorded)
    : setup_(setup),
      options_(options),
      clock_(clock),
      recorded_(recorded),
      alone_(setup.steps.one_thread() || setup.threads() == 1),
      stepped_(options.after_node || options.break_before || (options.control && options.control->stepping())),
      serial_(stepped_ || setup.memory.changes()),
      times_((options.timed ? setup.plan.steps.size() : 0) * setup.threads()) {
  for (WorkCounter& taken : setup.taken) taken.count.store(0, std::memory_order_relaxed);
}

void RunLoop::fail(Error error) {
  std::lock_guard lock(error_mutex_);
  if (error_.ok()) error_ = std::move(error);
}

void RunLoop::end_after(size_t items) {
  std::lock_guard lock(error_mutex_);
  end_.store(std::min(end_.load(std::memory_order_relaxed), items), std::memory_order_release);
}

void RunLoop::begin() {
  if (!serial_ && !has_request()) return;
  record(between_items(0));
  serial_ = serial_ || stepped_;
}

// Calls `after_node` for a step's result. Returns false if the run ends.
bool RunLoop::show_result(size_t step) {
  const PlannedStep& done = setup_.plan.steps[step];
  const bool there = done.tasks > 0 || (done.joined && setup_.strategy == MemoryStrategy::Planned);
  if (!options_.after_node || !there) return true;
  if (auto ok = setup_.backend.runs_on_host_threads() ? Status() : setup_.backend.synchronize(); !ok) {
    fail(ok.error());
    return false;
  }
  aborted_ = !options_.after_node(done.node, Step(step));
  return !aborted_;
}

// Blocks while the control pauses the run. Returns false if the run ends.
bool RunLoop::pause_before(Step step) {
  bool paused = false;
  aborted_ = !options_.control->before(step, &paused);
  if (paused) done_between_ |= trace::kPaused;
  return !aborted_;
}

// Ends step `next - 1` and begins step `next`, on the first thread while the others wait. Returns false to stop.
bool RunLoop::between(size_t next) {
  if (next > 0) {
    if (!show_result(next - 1)) return false;
    setup_.memory.end(next - 1);
  }
  if (next == setup_.plan.steps.size()) return true;
  const PlannedStep& step = setup_.plan.steps[next];
  if (step.tasks > 0 && options_.control) {
    if (options_.break_before && options_.break_before(step.node, Step(next))) options_.control->pause();
    if (!pause_before(Step(next))) return false;
  }
  const Status begun = setup_.memory.begin(next);
  if (!begun) fail(begun.error());
  return begun.ok();
}

void RunLoop::advance(size_t from, size_t to) {
  for (size_t step = from; step <= to && !stop_; ++step)
    stop_ = !without_exceptions(step, [&] { return between(step); });
}

// The others wait while `work` is done: an exception of it is the run's error, and ends it.
template <class F>
bool RunLoop::without_exceptions(size_t step, F&& work) {
  try {
    return work();
  } catch (...) {
    fail(error_of_exception(fmt::format("before step {}", step_number(Step(step)))));
    return false;
  }
}

// The serial section after `done` items, on the first thread: everything that has to happen before the next item.
RunLoop::SerialSection RunLoop::between_items(size_t done) {
  SerialSection section;
  if (ends_after(done)) return section;
  section.done = done;
  section.begin = clocked() ? clock_.now() : 0;
  done_between_ = 0;
  if (serial_)
    advance(done == 0 ? 0 : setup_.steps.step_of(done - 1) + 1, setup_.steps.step_of(done));
  else if (done < items().size())
    stop_ = !without_exceptions(setup_.steps.step_of(done),
                                [&] { return pause_before(Step(static_cast<int32_t>(setup_.steps.step_of(done)))); });
  if (interruptible_ && options_.control && options_.control->stepping()) stepped_ = true;
  if (stepped_) done_between_ |= trace::kStepped;
  if (stop_) end_after(done);
  section.flags = done_between_;
  section.end = clocked() ? clock_.now() : 0;
  return section;
}

void RunLoop::record(const SerialSection& section) {
  if (!ring(0) || section.end <= section.begin) return;
  const NodeId node = setup_.plan.steps[setup_.steps.step_of(section.done > 0 ? section.done - 1 : 0)].node;
  ring(0)->record(trace::between(run_, node, section.begin, section.end, section.flags));
}

void RunLoop::compute_part(size_t at, int part, int ith) {
  const StepItem& item = items()[at];
  trace::ThreadRing* const recorded = ring(ith);
  const Nanoseconds begin = recorded ? clock_.now() : 0;
  const ComputeParams params{part, item.parts, item.work->data(), item.work->bytes()};
  const auto compute = [&]() -> Status {  // the others wait for this thread at the next barrier, even if it throws
    try {
      return item.prepared->compute(params);
    } catch (...) {
      return error_of_exception("it could not be computed");
    }
  };
  if (auto ok = compute(); !ok) [[unlikely]] {
    fail(Error{
        fmt::format("node {} '{}': {}", item.node.value, setup_.plan.graph.node(item.node).name, ok.error().message)});
    end_after(at + 1);
  }
  if (recorded) recorded->record(trace::work(run_, item.node, begin, clock_.now(), part));
}

// Work stealing: a thread takes its own chunks one by one, then chunks of other threads that have not been started.
void RunLoop::compute_parts(size_t at, int ith) {
  const StepItem& item = items()[at];
  const size_t threads = setup_.threads();
  WorkCounter* taken = setup_.taken.data() + (item.swapped ? threads : 0);
  // Resets the cursors of the other set: no thread reads them before the barrier after this step.
  (setup_.taken.data() + (item.swapped ? 0 : threads))[ith].count.store(0, std::memory_order_relaxed);
  for (int whose = 0; whose < item.tasks; ++whose) {
    const int owner = (ith + whose) % item.tasks;
    const int first = owner * item.parts / item.tasks, last = (owner + 1) * item.parts / item.tasks;
    while (true) {
      const int part = first + taken[owner].count.fetch_add(1, std::memory_order_relaxed);
      if (part >= last) break;
      compute_part(at, part, ith);
    }
  }
}

void RunLoop::compute(size_t at, int ith) {
  const StepItem& item = items()[at];
  if (ith >= item.tasks) return;
  if (item.parts == item.tasks)
    compute_part(at, ith, ith);
  else
    compute_parts(at, ith);
}

bool RunLoop::no_barrier_after(size_t item) const {
  const SyncAfter sync_after = items()[item].sync_after;
  return item + 1 < items().size() &&
         (sync_after == SyncAfter::SameThread || (sync_after == SyncAfter::None && !serial_));
}

// Computes from `item` to the next item that is followed by a barrier.
RunLoop::BarrierInterval RunLoop::compute_interval(size_t item, int ith) {
  const bool timed = !times_.empty();
  BarrierInterval interval{item, clocked() ? clock_.now() : 0, 0};
  while (true) {
    compute(item, ith);
    interval.arrive = clocked() ? clock_.now() : 0;
    if (!no_barrier_after(item)) break;
    const bool row = items()[item].sync_after == SyncAfter::SameThread;
    if (ith > 0 && row) {  // the first thread computes the remaining items of the single-thread run
      item = items()[item].run_end;
      continue;
    }
    if (timed) slot(items()[item].step, ith) = {interval.begin, interval.arrive, interval.arrive};
    interval.begin = interval.arrive;
    if (ith == 0 && (serial_ || (row && has_request()))) {
      const SerialSection section = between_items(item + 1);
      record(section);
      interval.begin = std::max(interval.begin, section.end);
    }
    ++item;
    if (ends_after(item)) {  // the other threads are already on their way to the next barrier
      while (no_barrier_after(item)) ++item;
      break;
    }
  }
  interval.last = item;
  return interval;
}

// The barrier after `done` items. Both overloads of Barrier::meet() are compatible between threads, so the first thread alone
// decides whether there is a serial section. `serial_` changes only while the other threads wait.
void RunLoop::meet(size_t done, int ith) {
  const auto serially = [&] {
    section_ = between_items(done);
    if (stepped_) serial_ = true;
  };
  const bool section = ith == 0 && (serial_ || has_request());
  if (alone_) {
    if (section) serially();
  } else if (section) {
    setup_.barrier.meet(0, serially);
  } else if (serial_) {
    setup_.barrier.meet(ith, [] {});
  } else {
    setup_.barrier.meet(ith);
  }
}

void RunLoop::work_with_others(int ith) {
  for (size_t item = 0; item < items().size() && !ends_after(item); ++item) {
    const BarrierInterval interval = compute_interval(item, ith);
    const auto nodes = static_cast<int64_t>(interval.last - item) + 1;
    item = interval.last;
    const uint32_t generation = setup_.barrier.generation(ith);
    meet(item + 1, ith);
    if (!clocked()) continue;
    // The serial section between the nodes is not counted as waiting.
    const Nanoseconds leave = alone_ ? interval.arrive : clock_.now_in_order();
    const SerialSection section = section_;
    const bool in_section = section.done == item + 1 && !alone_;
    const Nanoseconds wait_end = in_section ? std::clamp(section.begin, interval.arrive, leave) : leave;
    const Nanoseconds later = in_section ? std::max<Nanoseconds>(leave - section.end, 0) : 0;
    if (ring(ith) && !alone_)
      ring(ith)->record(trace::wait(run_, items()[item].node, interval.arrive, wait_end, generation, nodes));
    if (ith == 0 && section.done == item + 1) record(section);
    if (!times_.empty()) slot(items()[item].step, ith) = {interval.begin, interval.arrive, wait_end + later};
  }
}

// Computes all chunks of all nodes on the first thread.
void RunLoop::work_single_threaded() {
  const bool timed = !times_.empty();
  for (size_t at = 0; at < items().size() && !ends_after(at); ++at) {
    if (at > 0 && has_request()) {
      record(between_items(at));
      if (stop_) break;
    }
    const Nanoseconds begin = timed ? clock_.now() : 0;
    for (int part = 0; part < items()[at].parts; ++part) compute_part(at, part, 0);
    if (!timed) continue;
    const Nanoseconds end = clock_.now();
    slot(items()[at].step, 0) = {begin, end, end};
  }
}

std::vector<NodeTime> RunLoop::node_times(std::span<const DeviceSpan> spans) const {
  const ExecutionPlan& plan = setup_.plan;
  std::vector<NodeTime> out(plan.steps.size());
  for (const StepItem& item : items()) {
    const Times* row = &times_[item.step * setup_.threads()];
    NodeTime& time = out[item.step];
    time.nanoseconds = std::nullopt;
    if (row[0].leave == 0) continue;
    Nanoseconds first = row[0].begin, last = row[0].arrive;
    for (size_t t = 0; t < (single_threaded_ ? 1 : setup_.threads()); ++t) {
      if (t < static_cast<size_t>(item.tasks))
        first = std::min(first, row[t].begin), last = std::max(last, row[t].arrive);
      time.barrier_wait_nanoseconds += row[t].leave - row[t].arrive;
    }
    if (!item.on_device) time.nanoseconds = last - first;
  }
  // The time of a device node runs from its first kernel to its last; the time to queue them is not counted.
  std::unordered_map<const TensorImpl*, std::pair<Nanoseconds, Nanoseconds>> on_device;
  for (const DeviceSpan& span : spans) {
    if (!span.node || span.copied > 0) continue;
    const auto [known, fresh] = on_device.try_emplace(span.node, span.begin, span.end);
    if (fresh) continue;
    known->second.first = std::min(known->second.first, span.begin);
    known->second.second = std::max(known->second.second, span.end);
  }
  for (size_t step = 0; step < plan.steps.size() && !on_device.empty(); ++step) {
    const auto found = on_device.find(&plan.graph.node(plan.steps[step].node));
    if (found != on_device.end()) out[step].nanoseconds = found->second.second - found->second.first;
  }
  return out;
}

}  // namespace arenascope
