// SPDX-License-Identifier: MIT
#include <arenascope/runtime/executor.h>

#include <algorithm>

#include <fmt/format.h>

#include <arenascope/runtime/describe.h>

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

// What the threads of one run share. Written by the last thread at a barrier, read by all behind it, apart from
// `times`, where each thread has slots of its own, and the error, which has a lock.
struct Executor::Shared {
  const RunOptions& options;
  trace::RunId run;
  const trace::Clock& clock;
  uint32_t first_generation;
  bool stop = false;
  bool aborted = false;
  std::atomic<bool> failed{false};
  std::mutex error_mutex;
  Status error;
  struct Times { Nanoseconds begin = 0, arrive = 0, leave = 0; };
  std::vector<Times> times;  // steps × threads

  void fail(Error e) {
    std::lock_guard lock(error_mutex);
    if (error.ok()) error = std::move(e);
    failed.store(true, std::memory_order_release);
  }
};

Result<std::unique_ptr<Executor>> Executor::create(Backend& backend, std::shared_ptr<ExecutionContext> context,
                                                   ExecutorOptions options) {
  if (!backend.runs_on_host_threads()) options.threads = 1;
  std::unique_ptr<Executor> executor(new Executor(backend, std::move(context), options));
  auto pool = ThreadPool::create(options.threads);
  if (!pool) return pool.error();
  executor->pool_ = std::move(*pool);
  const bool crowded = options.threads > usable_processors();
  executor->barrier_ = std::make_unique<Barrier>(options.threads, crowded ? 0 : 4000);
  const auto threads = static_cast<size_t>(options.threads);
  executor->rings_ = options.recorder ? options.rings : std::vector<trace::ThreadRing*>();
  executor->rings_.resize(std::min(executor->rings_.size(), threads));
  while (executor->rings_.size() < threads)
    executor->rings_.push_back(options.recorder ? options.recorder->register_thread(
                                                      fmt::format("worker {}", executor->rings_.size()))
                                                : nullptr);
  if (options.recorder && !backend.runs_on_host_threads()) {
    backend.keep_spans(true);
    trace::DeviceInfo info;
    info.name = backend.description();
    info.backend = backend.name();
    executor->trace_device_ = options.recorder->describe(info);
    const auto known = options.rings.size() == threads + kDeviceRows;
    if (known) executor->rings_ = options.rings;
    else executor->add_device_rows();
  }
  return executor;
}

Executor::~Executor() = default;

// Rows of the device's own: what ran, what waited to run, what was copied.
void Executor::add_device_rows() {
  const trace::DeviceId id = trace_device_;
  const std::string name = to_string(backend_.device());
  rings_.push_back(options_.recorder->register_thread(name, trace::TrackKind::DeviceQueue, id));
  rings_.push_back(options_.recorder->register_thread(name + " waiting", trace::TrackKind::Other, id));
  rings_.push_back(options_.recorder->register_thread(name + " copies", trace::TrackKind::CopyEngine, id));
}

void Executor::trace_device(trace::RunId run) {
  trace::Recorder& recorder = *options_.recorder;
  const size_t first = static_cast<size_t>(options_.threads);
  if (rings_.size() < first + kDeviceRows) return;
  const auto clock = [&] { return recorder.now(); };
  const auto host = trace::DeviceId::none(), device = trace_device_;
  const trace::NameId queued = recorder.name("queued"), submitted = recorder.name("submitted");
  for (const DeviceSpan& span : backend_.take_spans(clock)) {
    const NodeId node = span.node ? plan_.graph.find_node(*span.node) : NodeId::none();
    if (span.copied > 0)
      rings_[first + 2]->record(trace::copy(node, span.begin, span.end, span.copied, span.to_device ? host : device, span.to_device ? device : host));
    else rings_[first]->record(trace::work(run, node, span.begin, span.end));
    rings_[first + 1]->record(trace::slice(span.queued, span.submitted, queued, 0));
    rings_[first + 1]->record(trace::slice(span.submitted, span.begin, submitted, 0));
  }
  for (std::string& note : backend_.take_notes()) {
    trace::Problem problem;
    problem.severity = trace::Severity::Note;
    problem.sentence = std::move(note);
    problem.time = recorder.now();
    problem.run = run;
    recorder.problem(std::move(problem));
  }
}

Status Executor::prepare(ExecutionPlan plan) {
  prepared_ = false;
  plan_ = std::move(plan);
  if (plan_.threads != options_.threads)
    return Error{fmt::format("the plan is for {} threads, the executor has {}", plan_.threads, options_.threads)};
  for (const TensorImpl* leaf : plan_.graph.leafs())
    if (!leaf->storage.allocated() && leaf->element_count() > 0)
      return Error{fmt::format("'{}' has no data: every input and weight must be given before a run", leaf->name)};

  const auto nodes = plan_.graph.nodes();
  views_of_.assign(nodes.size(), {});
  for (TensorImpl* node : nodes) {
    if (!node->is_view()) continue;
    if (const NodeId owner = plan_.graph.find_node(*node->view_source); owner.valid())
      views_of_[owner.index()].push_back(node);
    else node->storage = node->view_source->storage;
  }
  begins_.assign(plan_.steps.size(), {});
  ends_.assign(plan_.steps.size(), {});
  for (size_t i = 0; i < plan_.memory.tensors.size(); ++i) {
    const PlannedTensor& tensor = plan_.memory.tensors[i];
    begins_[tensor.first.index()].push_back(static_cast<uint32_t>(i));
    ends_[tensor.last.index() - 1].push_back(static_cast<uint32_t>(i));
  }
  find_packed();
  work_ = Storage();
  arena_ = Storage();
  auto work = Storage::allocate(*context_, backend_.device(), MemoryKind::Workspace, plan_.work_bytes);
  if (!work) return work.error();
  work_ = std::move(*work);
  Status bound = bind_spilled();
  if (!bound) return bound;
  if (options_.strategy == MemoryStrategy::Planned) {
    for (PlannedStep& step : plan_.steps)
      if (step.joined) step.tasks = 0;
    bound = bind_planned();
  }
  if (options_.strategy == MemoryStrategy::None) bound = bind_each();
  if (!bound) return bound;
  std::vector<TensorImpl*> in_order;
  for (const PlannedStep& step : plan_.steps) in_order.push_back(&plan_.graph.node(step.node));
  if (auto ok = backend_.prepare(in_order, *context_); !ok) return ok;
  if (options_.recorder) {
    auto graph = describe_graph(plan_);
    graph.model = options_.model;
    graph.nodes.shrink_to_fit();
    for (size_t i = 0; i < graph.nodes.size(); ++i) graph.nodes[i].backend = backend_.name_for(*nodes[i]);
    trace_graph_ = options_.recorder->describe(std::move(graph));
    auto described = describe_plan(plan_.memory);
    described.graph = trace_graph_;
    trace_plan_ = options_.recorder->describe(std::move(described));
    options_.recorder->describe(describe_context(plan_.graph.context()));
  }
  prepared_ = true;
  return {};
}

Status Executor::bind_planned() {
  auto arena = Storage::allocate(*context_, backend_.device(), MemoryKind::Workspace, plan_.memory.arena_bytes,
                                 static_cast<size_t>(plan_.memory.alignment));
  if (!arena)
    return Error{fmt::format("the arena of {} bytes could not be had: {}", plan_.memory.arena_bytes,
                             arena.error().message)};
  arena_ = std::move(*arena);
  for (const PlannedTensor& tensor : plan_.memory.tensors) {
    auto slice = arena_.sub_storage(tensor.offset, tensor.size);
    if (!slice) return slice.error();
    plan_.graph.node(tensor.node).storage = std::move(*slice);
    for (TensorImpl* view : views_of_[tensor.node.index()]) view->storage = plan_.graph.node(tensor.node).storage;
  }
  return {};
}

// What was moved to the host lies there, whatever the strategy.
Status Executor::bind_spilled() {
  for (TensorImpl* node : plan_.graph.nodes()) {
    if (!node->has(kFlagSpilled) || node->is_view() || node->element_count() == 0) continue;
    if (!backend_.copies_to_host())
      return Error{fmt::format("'{}' lies in host memory, which {} does not copy to", node->name, backend_.name())};
    auto storage = Storage::allocate(*context_, {}, MemoryKind::HostPageable, node->byte_count());
    if (!storage) return Error{fmt::format("'{}' got no host memory: {}", node->name, storage.error().message)};
    node->storage = std::move(*storage);
    for (TensorImpl* view : views_of_[plan_.graph.find_node(*node).index()]) view->storage = node->storage;
  }
  return {};
}

// When packed tensors are made and last read: they come from the backend at each run.
void Executor::find_packed() {
  packed_begins_.assign(plan_.steps.size(), {});
  packed_ends_.assign(plan_.steps.size(), {});
  any_packed_ = false;
  std::vector<size_t> last(plan_.graph.nodes().size(), 0);
  for (size_t step = 0; step < plan_.steps.size(); ++step) {
    const TensorImpl& node = plan_.graph.node(plan_.steps[step].node);
    last[plan_.steps[step].node.index()] = step;
    for (const TensorImpl* source : node.sources)
      if (const NodeId from = plan_.graph.find_node(*source); from.valid()) last[from.index()] = step;
  }
  for (size_t step = 0; step < plan_.steps.size(); ++step) {
    const NodeId id = plan_.steps[step].node;
    const TensorImpl& node = plan_.graph.node(id);
    if (!node.has(kFlagPacked) || node.element_count() == 0) continue;
    any_packed_ = true;
    packed_begins_[step].push_back(id);
    packed_ends_[last[id.index()]].push_back(id);
  }
}

Status Executor::bind_each() {
  for (size_t step = 0; step < plan_.steps.size(); ++step)
    if (auto ok = allocate_output(step); !ok) return ok;
  return {};
}

Status Executor::allocate_output(size_t step) {
  for (uint32_t index : begins_[step]) {
    const PlannedTensor& tensor = plan_.memory.tensors[index];
    TensorImpl& node = plan_.graph.node(tensor.node);
    auto storage = Storage::allocate(*context_, backend_.device(), MemoryKind::Workspace, tensor.size);
    if (!storage)
      return Error{fmt::format("'{}' at step {} got no memory: {}", node.name, step, storage.error().message)};
    node.storage = std::move(*storage);
    for (TensorImpl* view : views_of_[tensor.node.index()]) view->storage = node.storage;
  }
  return {};
}

Status Executor::allocate_packed(size_t step) {
  for (NodeId id : packed_begins_[step]) {
    TensorImpl& node = plan_.graph.node(id);
    if (options_.strategy == MemoryStrategy::None && node.storage.allocated()) continue;
    auto storage = backend_.allocate_packed(node, *context_);
    if (!storage) return Error{fmt::format("'{}' at step {} got no memory: {}", node.name, step, storage.error().message)};
    node.storage = std::move(*storage);
  }
  return {};
}

void Executor::release_after(size_t step) {
  for (uint32_t index : ends_[step]) {
    const PlannedTensor& tensor = plan_.memory.tensors[index];
    // What lives to the last step may be an output, which the caller reads after the run.
    if (tensor.last.index() == plan_.steps.size()) continue;
    plan_.graph.node(tensor.node).storage = Storage(backend_.device());
    for (TensorImpl* view : views_of_[tensor.node.index()]) view->storage = Storage(backend_.device());
  }
}

void Executor::trace_slices(size_t step, int ith, bool begin) {
  trace::ThreadRing* ring = rings_[static_cast<size_t>(ith)];
  if (!ring || options_.strategy != MemoryStrategy::Planned) return;
  const Nanoseconds now = ring->now();
  const Step at(static_cast<int32_t>(step));
  const auto touched = [&](const PlannedTensor& tensor) {
    const TensorImpl& node = plan_.graph.node(tensor.node);
    ring->record(trace::seen_write(now, trace::TensorRef::node(tensor.node), node.data() - arena_.data(),
                                 node.byte_span(), at));
  };
  for (uint32_t index : begin ? begins_[step] : ends_[step]) {
    const PlannedTensor& tensor = plan_.memory.tensors[index];
    const auto ref = trace::TensorRef::node(tensor.node);
    ring->record(begin ? trace::slice_live(now, ref, tensor.offset, tensor.size, at)
                     : trace::slice_dead(now, ref, tensor.offset, tensor.size, Step(step + 1)));  // half-open
  }
  if (begin || !options_.record_touched) return;
  for (uint32_t index : begins_[step]) touched(plan_.memory.tensors[index]);
}

// Between two steps, on one thread while the others wait: ends step `next - 1`, begins step `next`. False: stop.
bool Executor::between(size_t next, int ith, Shared& shared) {
  if (shared.failed.load(std::memory_order_acquire)) return false;
  const RunOptions& options = shared.options;
  if (next > 0) {
    const PlannedStep& done = plan_.steps[next - 1];
    trace_slices(next - 1, ith, false);
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
    if (!options.control->before(Step(next))) {
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
  trace_slices(next, ith, true);
  if (trace::ThreadRing* ring = rings_[static_cast<size_t>(ith)])
    ring->record(trace::step(shared.run, ring->now(), Step(next), step.node));
  return true;
}

void Executor::work(int ith, Shared& shared) {
  trace::ThreadRing* ring = rings_[static_cast<size_t>(ith)];
  const bool clocked = ring != nullptr || !shared.times.empty();
  const size_t threads = static_cast<size_t>(options_.threads);
  const size_t count = plan_.steps.size();
  size_t step = 0;
  // Passes over steps without work; whoever runs serial sections does their bookkeeping.
  const auto next_with_work = [&](size_t from) {
    while (from < count && plan_.steps[from].tasks == 0) ++from;
    return from;
  };
  const auto advance = [&](size_t from, size_t to) {
    for (size_t s = from; s <= to && !shared.stop; ++s) shared.stop = !between(s, ith, shared);
  };
  const size_t first = next_with_work(0);
  uint32_t generation = barrier_->generation();
  barrier_->arrive_and_wait([&] { advance(0, first); });
  for (step = first; step < count && !shared.stop;) {
    const PlannedStep& planned = plan_.steps[step];
    const Nanoseconds begin = clocked ? shared.clock.now() : 0;
    if (ith < planned.tasks) {
      const ComputeParams params{ith, planned.tasks, work_.data(), work_.bytes()};
      if (auto ok = backend_.compute(plan_.graph.node(planned.node), params); !ok)
        shared.fail(Error{fmt::format("node {} '{}': {}", planned.node.value, plan_.graph.node(planned.node).name,
                                      ok.error().message)});
    }
    const Nanoseconds arrive = clocked ? shared.clock.now() : 0;
    if (ring && ith < planned.tasks) ring->record(trace::work(shared.run, planned.node, begin, arrive, ith));
    const size_t next = next_with_work(step + 1);
    generation = barrier_->generation();
    barrier_->arrive_and_wait([&] { advance(step + 1, next); });
    if (clocked) {
      const Nanoseconds leave = shared.clock.now();
      if (ring) ring->record(trace::wait(shared.run, planned.node, arrive, leave, generation));
      if (!shared.times.empty()) shared.times[step * threads + static_cast<size_t>(ith)] = {begin, arrive, leave};
    }
    step = next;
  }
}

Result<RunReport> Executor::run(const RunOptions& options) {
  if (!prepared_) return Error{"the executor has no plan that was prepared"};
  trace::Recorder* recorder = options_.recorder;
  const trace::Clock monotonic;
  const trace::Clock& clock = recorder ? recorder->clock() : monotonic;
  Shared shared{options, {}, clock, barrier_->generation(), false, false, {}, {}, {}, {}};
  const size_t threads = static_cast<size_t>(options_.threads);
  if (options.timed) shared.times.resize(plan_.steps.size() * threads);
  const Nanoseconds begin = clock.now();
  if (recorder) {
    trace::RunInfo run;
    run.graph = trace_graph_;
    run.plan = trace_plan_;
    run.threads = options_.threads;
    run.backend = backend_.name();
    run.strategy = name(options_.strategy);
    run.begin = begin;
    shared.run = recorder->begin_run(run);
  }
  // What changes its place from run to run cannot be replayed, nor what somebody looks at.
  const bool watched = recorder || options.timed || options.control || options.after_node;
  const bool as_one = !watched && !any_packed_ && options_.strategy != MemoryStrategy::Eager;
  if (auto ok = backend_.begin_run(as_one); !ok) shared.fail(ok.error());
  else pool_->run([&](int ith) { work(ith, shared); });
  if (auto ok = backend_.runs_on_host_threads() ? Status() : backend_.synchronize(); !ok) shared.fail(ok.error());
  RunReport report;
  report.nanoseconds = clock.now() - begin;
  report.aborted = shared.aborted;
  if (recorder && !backend_.runs_on_host_threads()) trace_device(shared.run);
  if (recorder)
    recorder->end_run(shared.run, !shared.error.ok()  ? trace::RunStatus::Failed
                                  : shared.aborted    ? trace::RunStatus::Aborted
                                                      : trace::RunStatus::Done);
  if (!shared.error.ok()) return shared.error.error();
  if (!options.timed) return report;
  report.nodes.resize(plan_.steps.size());
  for (size_t step = 0; step < plan_.steps.size(); ++step) {
    const auto* row = &shared.times[step * threads];
    if (plan_.steps[step].tasks == 0 || row[0].leave == 0) continue;
    Nanoseconds first = row[0].begin, last = row[0].arrive;
    for (size_t t = 0; t < threads; ++t) {
      first = std::min(first, row[t].begin);
      last = std::max(last, row[t].arrive);
      report.nodes[step].barrier_wait_nanoseconds += row[t].leave - row[t].arrive;
    }
    report.nodes[step].nanoseconds = last - first;
  }
  return report;
}

}  // namespace arenascope
