// SPDX-License-Identifier: MIT
#include <arenascope/runtime/executor.h>

#include <algorithm>

#include <fmt/format.h>

#include <arenascope/base/refused_memory.h>
#include <arenascope/schedule/describe.h>

#include "engine/runtime/run_loop.h"
#include "engine/runtime/run_trace.h"
#include "engine/runtime/single_thread_fallback.h"

namespace arenascope {

const char* name(MemoryStrategy strategy) {
  switch (strategy) {
    case MemoryStrategy::Planned: return "planned";
    case MemoryStrategy::Eager: return "eager";
    case MemoryStrategy::None: return "none";
  }
  return "?";
}

std::optional<MemoryStrategy> parse_memory_strategy(std::string_view text) {
  for (auto s : {MemoryStrategy::Planned, MemoryStrategy::Eager, MemoryStrategy::None})
    if (text == name(s)) return s;
  return std::nullopt;
}

namespace {

// With more threads than cores, threads park at once.
int spins_of(const ExecutorOptions& options) {
  if (options.threads > usable_processors()) return 0;
  return Barrier::kSpins * std::clamp(options.spin_percent, 0, 100) / 50;
}

}  // namespace

struct Executor::Parts {
  Parts(Backend& main, std::shared_ptr<ExecutionContext> memory_context, ExecutorOptions given,
        std::shared_ptr<ThreadPool> threads)
      : backend(main),
        context(std::move(memory_context)),
        options(std::move(given)),
        pool(std::move(threads)),
        barrier(options.threads, spins_of(options), [this](int ith) { pool->spread(ith); }),
        memory(main, context, options.strategy),
        steps(main, options.host),
        taken(2 * static_cast<size_t>(options.threads)),
        trace(main, options),
        setup{backend, plan, steps, memory, barrier, taken, trace.rings(), options.strategy} {}

  Backend& backend;
  const std::shared_ptr<ExecutionContext> context;
  const ExecutorOptions options;
  const std::shared_ptr<ThreadPool> pool;
  Barrier barrier;
  ExecutionPlan plan;
  BoundMemory memory;
  StepList steps;
  std::vector<WorkCounter> taken;
  RunTrace trace;
  const RunSetup setup;
  SingleThreadFallback fallback;
  bool prepared = false;
};

Result<std::unique_ptr<Executor>> Executor::create(Backend& backend, std::shared_ptr<ExecutionContext> context,
                                                   ExecutorOptions options) {
  if (!backend.runs_on_host_threads() && !options.host) options.threads = 1;
  std::shared_ptr<ThreadPool> pool = options.shared_pool;
  if (!pool) {
    auto made = ThreadPool::create(options.threads, options.pool);
    if (!made) return made.error();
    pool = std::move(*made);
  }
  if (pool->threads() != options.threads)
    return Error{fmt::format("the shared thread pool has {} threads, but the executor was created for {}",
                             pool->threads(), options.threads)};
  return std::unique_ptr<Executor>(
      new Executor(std::make_unique<Parts>(backend, std::move(context), std::move(options), std::move(pool))));
}

Executor::Executor(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Executor::~Executor() = default;

const ExecutionPlan& Executor::plan() const { return parts_->plan; }
const std::shared_ptr<ThreadPool>& Executor::pool() const { return parts_->pool; }
trace::GraphId Executor::trace_graph() const { return parts_->trace.graph(); }
trace::PlanId Executor::trace_plan() const { return parts_->trace.plan(); }
Bytes Executor::arena_bytes() const { return parts_->memory.arena().bytes(); }
const std::byte* Executor::arena() const { return parts_->memory.arena().data(); }
const std::vector<trace::ThreadRing*>& Executor::rings() const { return parts_->trace.rings(); }

PreparedSteps Executor::release_prepared() {
  parts_->prepared = false;
  return parts_->steps.release();
}

PackedWeights Executor::packed_weights() const { return parts_->steps.packed_weights(); }

Status Executor::warm_up() {
  Parts& p = *parts_;
  if (!p.prepared) return {};
  return exceptions_as_errors("the weights could not be packed", [&]() -> Status {
    p.pool->run([&](int ith) { p.steps.warm_up(ith, p.options.threads); });
    return {};
  });
}

Status Executor::check(const ExecutionPlan& plan) const {
  if (plan.threads != parts_->options.threads)
    return Error{
        fmt::format("the plan is for {} threads, but the executor has {}", plan.threads, parts_->options.threads)};
  if (!parts_->options.host && std::any_of(plan.steps.begin(), plan.steps.end(),
                                           [](const PlannedStep& step) { return step.kind == StepKind::Host; }))
    return Error{"the plan assigns nodes to the host, but no host backend was given"};
  for (const auto& list : {plan.graph.leafs(), plan.graph.nodes()})
    for (const TensorImpl* given : list)
      if (given->op == Op::None && !given->storage.allocated() && given->element_count() > 0)
        return Error{fmt::format("'{}' has no data: every input and weight must be bound before a run", given->name)};
  return {};
}

Status Executor::prepare(ExecutionPlan plan, PreparedSteps previous) {
  return exceptions_as_errors("the graph could not be prepared",
                              [&] { return prepare_plan(std::move(plan), previous); });
}

Status Executor::prepare(ExecutionPlan plan, const Executor& similar) {
  return exceptions_as_errors("the graph could not be prepared",
                              [&] { return prepare_plan(std::move(plan), similar.parts_->steps.prepared()); });
}

Status Executor::prepare_plan(ExecutionPlan plan, const PreparedSteps& previous) {
  Parts& p = *parts_;
  const PreparedSteps before = release_prepared();
  p.plan = std::move(plan);
  if (auto ok = check(p.plan); !ok) return ok;
  if (auto ok = p.memory.bind(p.plan); !ok) return ok;
  if (auto ok = p.steps.prepare(p.plan, p.memory, *p.context, p.options, previous.main ? previous : before); !ok)
    return ok;
  if (p.trace.on()) {
    p.trace.describe(p.plan, p.steps, p.memory.arena());
    p.memory.report_bindings(p.trace.graph(), p.options.binding_observer);
  }
  p.fallback = {};
  p.prepared = true;
  return {};
}

Result<RunReport> Executor::run(const RunOptions& options) {
  return exceptions_as_errors("the run failed", [&] { return run_plan(options); });
}

Result<RunReport> Executor::run_plan(const RunOptions& options) {
  Parts& p = *parts_;
  if (!p.prepared) return Error{"the executor has no prepared plan: call prepare() before run()"};
  const trace::Clock monotonic;
  const bool recorded = p.trace.on();
  const trace::Clock& clock = recorded ? p.options.recorder->clock() : monotonic;
  // A recorder, a clock or a control without requests does not change what is launched.
  const bool inspected =
      options.after_node || options.break_before || (options.control && options.control->has_request());
  p.memory.pin_images(!inspected);
  RunLoop loop(p.setup, options, clock, recorded);
  const bool may_fall_back = !loop.serial() && !loop.alone() && !p.options.force_multithreaded;
  if (may_fall_back && p.fallback.choose_single()) loop.use_single_thread();
  const bool on_device = !p.backend.runs_on_host_threads();
  const bool asks_device = on_device && options.timed && !recorded;
  if (asks_device) p.backend.enable_profiling(true);
  const uint32_t first_generation = p.barrier.generation(0);
  trace::RunId run;
  if (recorded) loop.set_run(run = p.trace.begin(loop.threads_used(), loop.stepped()));
  const Nanoseconds begin = clock.now();
  // A run cannot be replayed if its memory is rebound between nodes or its results are inspected.
  if (auto ok = p.steps.begin_run(loop.serial() || inspected); !ok) {
    loop.fail(ok.error());
  } else {
    if (!p.steps.interruptible()) loop.ignore_requests();
    loop.begin();
    const auto part = [&](int ith) { loop.work(ith); };
    loop.threads_used() == 1 ? p.pool->run_alone(part) : p.pool->run(part);
  }
  if (!loop.error().ok() || loop.aborted()) p.steps.abort_run();
  if (auto ok = on_device ? p.backend.synchronize() : Status(); !ok) loop.fail(ok.error());
  RunReport report;
  report.nanoseconds = clock.now() - begin;
  report.threads = loop.threads_used();
  report.ran_single_threaded = loop.ran_single_threaded();
  report.barriers = p.barrier.generation(0) - first_generation;
  report.stepped = loop.stepped();
  report.aborted = loop.aborted();
  if (may_fall_back && !loop.stepped()) p.fallback.note(loop.ran_single_threaded(), report.nanoseconds, *p.pool);
  std::vector<DeviceSpan> spans;
  if (on_device && (recorded || options.timed)) spans = p.backend.drain_spans([&] { return clock.now(); });
  if (asks_device) p.backend.enable_profiling(false);
  const trace::RunStatus status = !loop.error().ok() ? trace::RunStatus::Failed
                                  : loop.aborted()   ? trace::RunStatus::Aborted
                                                     : trace::RunStatus::Done;
  if (recorded && p.options.binding_observer) p.options.binding_observer->on_states(*p.context);
  if (recorded) p.trace.end({run, begin + report.nanoseconds, status, loop.stepped()}, spans, p.plan.graph);
  if (!loop.error().ok()) return loop.error().error();
  if (options.timed) report.nodes = loop.node_times(spans);
  return report;
}

}  // namespace arenascope
