// SPDX-License-Identifier: MIT
// What the threads do in a run.
#include <arenascope/runtime/executor.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <unordered_map>

#include <fmt/format.h>

#include <arenascope/runtime/barrier.h>

namespace arenascope {

// What the threads of one run share. Written by the first thread in serial sections, read by all behind them, apart
// from `times`, where each thread has slots of its own, and the error, which has a lock.
struct Executor::Shared {
  const RunOptions& options;
  trace::RunId run;
  const trace::Clock& clock;
  bool serial;             // something happens between two nodes: the first thread does it while the others wait
  bool alone;              // the first thread is the only one
  bool by_itself = false;  // the same, though there would be work for others
  bool stop = false;       // of the first thread: it does nothing more
  bool aborted = false;    // the same
  bool held = false;       // the same: it was paused
  // Behind how many items the run ends. Whoever has passed the barrier behind the last of them knows of it; that a
  // later one failed, which one thread may learn of earlier than another, does not count yet.
  std::atomic<size_t> end{std::numeric_limits<size_t>::max()};
  std::mutex error_mutex;
  Status error;
  struct Times {
    Nanoseconds begin = 0, arrive = 0, leave = 0;
  };
  std::vector<Times> times;  // steps × threads

  void fail(Error e) {
    std::lock_guard lock(error_mutex);
    if (error.ok()) error = std::move(e);
  }
  void end_behind(size_t items) {
    std::lock_guard lock(error_mutex);
    end.store(std::min(end.load(std::memory_order_relaxed), items), std::memory_order_release);
  }
  bool ends_behind(size_t items) const { return end.load(std::memory_order_acquire) <= items; }
};

void Executor::trace_slices(size_t step, bool begin, trace::RunId run) {
  trace::ThreadRing* ring = rings_[0];
  if (!ring || options_.strategy != MemoryStrategy::Planned) return;
  const Nanoseconds now = ring->now();
  const Step at(static_cast<int32_t>(step));
  const auto touched = [&](const PlannedTensor& tensor) {
    const TensorImpl& node = plan_.graph.node(tensor.node);
    ring->record(trace::seen_write(run, now, trace::TensorRef::node(tensor.node), node.data() - arena_.data(),
                                   node.byte_span(), at));
  };
  for (uint32_t index : begin ? begins_[step] : ends_[step]) {
    const PlannedTensor& tensor = plan_.memory.tensors[index];
    const auto ref = trace::TensorRef::node(tensor.node);
    ring->record(begin ? trace::slice_live(run, now, ref, tensor.offset, tensor.size, at)
                       : trace::slice_dead(run, now, ref, tensor.offset, tensor.size, Step(step + 1)));  // half-open
  }
  if (begin || !options_.record_touched) return;
  for (uint32_t index : begins_[step]) touched(plan_.memory.tensors[index]);
}

// Between two steps, on the first thread while the others wait: ends step `next - 1`, begins step `next`. False: stop.
bool Executor::between(size_t next, Shared& shared) {
  const RunOptions& options = shared.options;
  if (next > 0) {
    const PlannedStep& done = plan_.steps[next - 1];
    trace_slices(next - 1, false, shared.run);
    const bool there = done.tasks > 0 || (done.joined && options_.strategy == MemoryStrategy::Planned);
    if (options.after_node && there) {
      if (auto ok = backend_.runs_on_host_threads() ? Status() : backend_.synchronize(); !ok) {
        shared.fail(ok.error());
        return false;
      }
      if (!options.after_node(done.node, Step(next - 1))) {
        shared.aborted = true;
        return false;
      }
    }
    if (options_.strategy == MemoryStrategy::Eager) release_after(next - 1);
    if (options_.strategy != MemoryStrategy::None)
      for (NodeId id : packed_ends_[next - 1]) plan_.graph.node(id).storage = Storage(backend_.device());
  }
  if (next == plan_.steps.size()) return true;
  const PlannedStep& step = plan_.steps[next];
  if (step.tasks > 0 && options.control) {
    if (options.break_before && options.break_before(step.node, Step(next))) options.control->pause();
    const Nanoseconds begin = shared.clock.now();
    bool held = false;
    const bool go = options.control->before(Step(next), &held);
    shared.held = shared.held || held;
    if (held && rings_[0]) rings_[0]->record(trace::pause(shared.run, step.node, begin, shared.clock.now()));
    if (!go) {
      shared.aborted = true;
      return false;
    }
  }
  Status bound = options_.strategy == MemoryStrategy::Eager ? allocate_output(next) : Status();
  if (bound.ok()) bound = allocate_packed(next);
  if (!bound) {
    shared.fail(bound.error());
    return false;
  }
  trace_slices(next, true, shared.run);
  if (trace::ThreadRing* ring = rings_[0]) ring->record(trace::step(shared.run, ring->now(), Step(next), step.node));
  return true;
}

void Executor::advance(size_t from, size_t to, Shared& shared) {
  for (size_t step = from; step <= to && !shared.stop; ++step) shared.stop = !between(step, shared);
}

void Executor::compute_part(size_t at, int part, int ith, Shared& shared) {
  const Item& item = items_[at];
  trace::ThreadRing* ring = rings_[static_cast<size_t>(ith)];
  const Nanoseconds begin = ring ? shared.clock.now() : 0;
  const ComputeParams params{part, item.parts, work_.data(), work_.bytes()};
  if (auto ok = item.launch.compute(item.launch, params); !ok) [[unlikely]] {
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

void Executor::work(int ith, Shared& shared) {
  trace::ThreadRing* ring = rings_[static_cast<size_t>(ith)];
  const bool timed = !shared.times.empty();
  const bool clocked = ring != nullptr || timed;
  const auto threads = static_cast<size_t>(options_.threads);
  const size_t count = items_.size();
  const auto step_of = [&](size_t item) { return item < count ? items_[item].step : plan_.steps.size(); };
  const auto meet = [&](auto&& serial) {
    if (!shared.alone)
      shared.serial ? barrier_->meet(ith, serial) : barrier_->meet(ith);
    else if (shared.serial)
      serial();
  };
  // The first thread's alone: to the next item, of which `done` have passed.
  const auto go_on = [&](size_t done) {
    advance(done == 0 ? 0 : step_of(done - 1) + 1, step_of(done), shared);
    if (shared.stop) shared.end_behind(done);
  };
  if (shared.serial) meet([&] { go_on(0); });
  for (size_t item = 0; item < count && !shared.ends_behind(item); ++item) {
    const auto slot = [&](size_t i) -> Shared::Times& { return shared.times[items_[i].step * threads + size_t(ith)]; };
    const auto together = [&](size_t i) {  // no barrier behind it
      const Behind behind = items_[i].behind;
      return i + 1 < count && (behind == Behind::Row || (behind == Behind::Independent && !shared.serial));
    };
    Nanoseconds begin = clocked ? shared.clock.now() : 0, arrive = begin;
    const size_t first = item;
    while (true) {
      compute(item, ith, shared);
      if (clocked) arrive = shared.clock.now();
      if (!together(item)) break;
      if (ith > 0 && items_[item].behind == Behind::Row) {  // what is left of the row is the first thread's
        item = items_[item].row_end;
        continue;
      }
      if (shared.serial) go_on(item + 1);
      if (timed) slot(item) = {begin, arrive, arrive};
      ++item;
      if (shared.ends_behind(item)) {  // the others are on their way to the next barrier
        while (together(item)) ++item;
        break;
      }
      begin = arrive;
    }
    const uint32_t generation = barrier_->generation(ith);
    meet([&] {
      if (!shared.ends_behind(item + 1)) go_on(item + 1);
    });
    if (!clocked) continue;
    const Nanoseconds leave = shared.clock.now();
    const auto nodes = static_cast<int64_t>(item - first) + 1;
    if (ring && threads > 1)
      ring->record(trace::wait(shared.run, plan_.steps[items_[item].step].node, arrive, leave, generation, nodes));
    if (timed) slot(item) = {begin, arrive, leave};
  }
}

// All parts of all nodes, on the first thread.
void Executor::work_by_itself(Shared& shared) {
  const bool timed = !shared.times.empty();
  for (size_t at = 0; at < items_.size() && !shared.ends_behind(at); ++at) {
    const Nanoseconds begin = timed ? shared.clock.now() : 0;
    for (int part = 0; part < items_[at].parts; ++part) compute_part(at, part, 0, shared);
    if (!timed) continue;
    const Nanoseconds end = shared.clock.now();
    shared.times[items_[at].step * static_cast<size_t>(options_.threads)] = {begin, end, end};
  }
}

// While there is other work: the way that took less the last time; now and then the other one.
bool Executor::better_alone() {
  constexpr int kNowAndThen = 64;
  if (!crowd_.seen) return false;
  if (crowd_.alone == 0) return true;
  return (crowd_.alone < crowd_.together) != (++crowd_.runs % kNowAndThen == 0);
}

void Executor::note(bool by_itself, Nanoseconds took) {
  constexpr Nanoseconds kLongEnough = 10'000'000;  // to look at what the system says of the threads
  Nanoseconds& last = by_itself ? crowd_.alone : crowd_.together;
  last = last == 0 ? took : last + (took - last) / 4;
  crowd_.watched += took;
  if (crowd_.watched < kLongEnough) return;
  const Nanoseconds queued = pool_->queued();
  crowd_.seen = crowd_.queued >= 0 && queued - crowd_.queued > crowd_.watched / 8;
  crowd_.queued = queued;
  crowd_.watched = 0;
  if (!crowd_.seen) crowd_.alone = crowd_.together = 0;
}

Result<RunReport> Executor::run(const RunOptions& options) {
  if (!prepared_) return Error{"the executor has no plan that was prepared"};
  trace::Recorder* recorder = options_.recorder;
  const trace::Clock monotonic;
  const trace::Clock& clock = recorder ? recorder->clock() : monotonic;
  const bool serial =
      recorder || options.control || options.after_node || any_packed_ || options_.strategy == MemoryStrategy::Eager;
  Shared shared{options, {}, clock, serial, alone_};
  const size_t threads = static_cast<size_t>(options_.threads);
  if (options.timed) shared.times.resize(plan_.steps.size() * threads);
  for (size_t i = 0; i < 2 * threads; ++i) taken_[i].count.store(0, std::memory_order_relaxed);
  if (recorder) {
    trace::RunInfo run;
    run.graph = trace_graph_;
    run.plan = trace_plan_;
    run.threads = options_.threads;
    run.backend = backend_.name();
    run.strategy = name(options_.strategy);
    shared.run = recorder->begin_run(run);
  }
  const Nanoseconds begin = clock.now();
  const bool on_device = !backend_.runs_on_host_threads();
  const bool asks_device = on_device && options.timed && !recorder;
  if (asks_device) backend_.keep_spans(true);
  shared.by_itself = !serial && !shared.alone && threads > 1 && better_alone();
  const auto part = [&](int ith) { shared.by_itself ? work_by_itself(shared) : work(ith, shared); };
  // What changes its place from run to run cannot be replayed, nor what somebody looks at.
  const bool as_one = !serial && !options.timed;
  if (auto ok = backend_.begin_run(as_one); !ok)
    shared.fail(ok.error());
  else
    shared.alone || shared.by_itself ? pool_->run_alone(part) : pool_->run(part);
  if (auto ok = backend_.runs_on_host_threads() ? Status() : backend_.synchronize(); !ok) shared.fail(ok.error());
  RunReport report;
  report.nanoseconds = clock.now() - begin;
  if (threads > 1 && !serial && !shared.alone) note(shared.by_itself, report.nanoseconds);
  report.aborted = shared.aborted;
  std::vector<DeviceSpan> spans;
  if (on_device && (recorder || options.timed)) spans = backend_.take_spans([&] { return clock.now(); });
  if (on_device && recorder) trace_device(shared.run, spans);
  if (asks_device) backend_.keep_spans(false);
  if (recorder)
    recorder->end_run({shared.run, begin + report.nanoseconds,
                       !shared.error.ok() ? trace::RunStatus::Failed
                       : shared.aborted   ? trace::RunStatus::Aborted
                                          : trace::RunStatus::Done,
                       shared.held, shared.alone || shared.by_itself ? 1 : options_.threads});
  if (!shared.error.ok()) return shared.error.error();
  if (!options.timed) return report;
  report.nodes.resize(plan_.steps.size());
  for (const Item& item : items_) {
    const auto* row = &shared.times[item.step * threads];
    if (row[0].leave == 0) continue;
    NodeTime& time = report.nodes[item.step];
    Nanoseconds first = row[0].begin, last = row[0].arrive;
    for (size_t t = 0; t < (shared.by_itself ? 1 : threads); ++t) {
      if (t < static_cast<size_t>(item.tasks))
        first = std::min(first, row[t].begin), last = std::max(last, row[t].arrive);
      time.barrier_wait_nanoseconds += row[t].leave - row[t].arrive;
    }
    time.nanoseconds = last - first;
  }
  // Where a device tells its own times, those are what the nodes took, not what it took to queue them.
  std::unordered_map<const TensorImpl*, Nanoseconds> told;
  for (const DeviceSpan& span : spans)
    if (span.node) told[span.node] += span.end - span.begin;
  for (size_t step = 0; step < plan_.steps.size() && !told.empty(); ++step) {
    const auto found = told.find(&plan_.graph.node(plan_.steps[step].node));
    if (found != told.end()) report.nodes[step].nanoseconds = found->second;
  }
  return report;
}

}  // namespace arenascope
