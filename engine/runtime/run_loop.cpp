// SPDX-License-Identifier: MIT
#include "engine/runtime/run_loop.h"

#include <algorithm>
#include <unordered_map>

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
  for (TakenParts& taken : setup.taken) taken.count.store(0, std::memory_order_relaxed);
}

void RunLoop::fail(Error error) {
  std::lock_guard lock(error_mutex_);
  if (error_.ok()) error_ = std::move(error);
}

void RunLoop::end_behind(size_t items) {
  std::lock_guard lock(error_mutex_);
  end_.store(std::min(end_.load(std::memory_order_relaxed), items), std::memory_order_release);
}

void RunLoop::begin() {
  if (!serial_ && !control_wanted()) return;
  record(between_items(0));
  serial_ = serial_ || stepped_;
}

// Shows a step's result, where somebody wants to see it. False: the run ends.
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

// Waits there for as long as the control has it. False: the run ends.
bool RunLoop::pause_before(Step step) {
  bool paused = false;
  aborted_ = !options_.control->before(step, &paused);
  if (paused) done_between_ |= trace::kPaused;
  return !aborted_;
}

// Between two steps, on the first thread while the others wait: ends step `next - 1`, begins step `next`. False: stop.
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
  for (size_t step = from; step <= to && !stop_; ++step) stop_ = !between(step);
}

// The first thread's alone, `done` items being done: all that has to happen before the next one.
RunLoop::Section RunLoop::between_items(size_t done) {
  Section section;
  if (ends_behind(done)) return section;
  section.done = done;
  section.begin = clocked() ? clock_.now() : 0;
  done_between_ = 0;
  if (serial_)
    advance(done == 0 ? 0 : setup_.steps.step_of(done - 1) + 1, setup_.steps.step_of(done));
  else if (done < items().size())
    stop_ = !pause_before(Step(static_cast<int32_t>(setup_.steps.step_of(done))));
  if (options_.control && options_.control->stepping()) stepped_ = true;
  if (stepped_) done_between_ |= trace::kStepped;
  if (stop_) end_behind(done);
  section.flags = done_between_;
  section.end = clocked() ? clock_.now() : 0;
  return section;
}

void RunLoop::record(const Section& section) {
  if (!ring(0) || section.end <= section.begin) return;
  const NodeId node = setup_.plan.steps[setup_.steps.step_of(section.done > 0 ? section.done - 1 : 0)].node;
  ring(0)->record(trace::between(run_, node, section.begin, section.end, section.flags));
}

void RunLoop::compute_part(size_t at, int part, int ith) {
  const StepItem& item = items()[at];
  trace::ThreadRing* const recorded = ring(ith);
  const Nanoseconds begin = recorded ? clock_.now() : 0;
  const ComputeParams params{part, item.parts, item.work->data(), item.work->bytes()};
  if (auto ok = item.prepared->compute(params); !ok) [[unlikely]] {
    fail(Error{
        fmt::format("node {} '{}': {}", item.node.value, setup_.plan.graph.node(item.node).name, ok.error().message)});
    end_behind(at + 1);
  }
  if (recorded) recorded->record(trace::work(run_, item.node, begin, clock_.now(), part));
}

// A thread takes its own parts one by one, then what others have not begun.
void RunLoop::compute_parts(size_t at, int ith) {
  const StepItem& item = items()[at];
  const size_t threads = setup_.threads();
  TakenParts* taken = setup_.taken.data() + (item.swapped ? threads : 0);
  // Nobody looks at the other set before the barrier behind this step, and all look at it only behind that.
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

bool RunLoop::no_barrier_behind(size_t item) const {
  const Behind behind = items()[item].behind;
  return item + 1 < items().size() && (behind == Behind::Row || (behind == Behind::Independent && !serial_));
}

// Computes from `item` to the next item with a barrier behind it.
RunLoop::Stretch RunLoop::compute_stretch(size_t item, int ith) {
  const bool timed = !times_.empty();
  Stretch stretch{item, clocked() ? clock_.now() : 0, 0};
  while (true) {
    compute(item, ith);
    stretch.arrive = clocked() ? clock_.now() : 0;
    if (!no_barrier_behind(item)) break;
    const bool row = items()[item].behind == Behind::Row;
    if (ith > 0 && row) {  // what is left of the row is the first thread's
      item = items()[item].row_end;
      continue;
    }
    if (timed) slot(items()[item].step, ith) = {stretch.begin, stretch.arrive, stretch.arrive};
    stretch.begin = stretch.arrive;
    if (ith == 0 && (serial_ || (row && control_wanted()))) {
      const Section section = between_items(item + 1);
      record(section);
      stretch.begin = std::max(stretch.begin, section.end);
    }
    ++item;
    if (ends_behind(item)) {  // the others are on their way to the next barrier
      while (no_barrier_behind(item)) ++item;
      break;
    }
  }
  stretch.last = item;
  return stretch;
}

// Behind `done` items. Any thread may come by way of either function of the barrier, so the first one alone decides
// whether there is something to do; that the run became a stepped one is written while the others wait.
void RunLoop::meet(size_t done, int ith) {
  const auto serially = [&] {
    section_ = between_items(done);
    if (stepped_) serial_ = true;
  };
  const bool section = ith == 0 && (serial_ || control_wanted());
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
  for (size_t item = 0; item < items().size() && !ends_behind(item); ++item) {
    const Stretch stretch = compute_stretch(item, ith);
    const auto nodes = static_cast<int64_t>(stretch.last - item) + 1;
    item = stretch.last;
    const uint32_t generation = setup_.barrier.generation(ith);
    meet(item + 1, ith);
    if (!clocked()) continue;
    // What was done between the nodes is no wait.
    const Nanoseconds leave = alone_ ? stretch.arrive : clock_.now_in_order();
    const Section section = section_;
    const bool in_section = section.done == item + 1 && !alone_;
    const Nanoseconds wait_end = in_section ? std::clamp(section.begin, stretch.arrive, leave) : leave;
    const Nanoseconds later = in_section ? std::max<Nanoseconds>(leave - section.end, 0) : 0;
    if (ring(ith) && !alone_)
      ring(ith)->record(trace::wait(run_, items()[item].node, stretch.arrive, wait_end, generation, nodes));
    if (ith == 0 && section.done == item + 1) record(section);
    if (!times_.empty()) slot(items()[item].step, ith) = {stretch.begin, stretch.arrive, wait_end + later};
  }
}

// All parts of all nodes, on the first thread.
void RunLoop::work_by_itself() {
  const bool timed = !times_.empty();
  for (size_t at = 0; at < items().size() && !ends_behind(at); ++at) {
    if (at > 0 && control_wanted()) {
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
    if (row[0].leave == 0) continue;
    NodeTime& time = out[item.step];
    Nanoseconds first = row[0].begin, last = row[0].arrive;
    for (size_t t = 0; t < (by_itself_ ? 1 : setup_.threads()); ++t) {
      if (t < static_cast<size_t>(item.tasks))
        first = std::min(first, row[t].begin), last = std::max(last, row[t].arrive);
      time.barrier_wait_nanoseconds += row[t].leave - row[t].arrive;
    }
    time.nanoseconds = last - first;
  }
  // A device's node took what the device says, from its first kernel to its last, and not what it took to queue them.
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
