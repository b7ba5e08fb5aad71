// SPDX-License-Identifier: MIT
#include <arenascope/runtime/executor.h>

#include <algorithm>

#include <fmt/format.h>

#include <arenascope/runtime/barrier.h>
#include <arenascope/schedule/quick_plan.h>

#include "engine/runtime/single_thread_fallback.h"
#include "engine/runtime/transfer.h"
#include "engine/runtime/weight_pages.h"

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

Result<std::unique_ptr<Executor>> Executor::create(Backend& backend, std::shared_ptr<ExecutionContext> context,
                                                   ExecutorOptions options) {
  if (!backend.runs_on_host_threads() && !options.host) options.threads = 1;
  std::unique_ptr<Executor> executor(new Executor(backend, std::move(context), options));
  auto pool = ThreadPool::create(options.threads, options.pool);
  if (!pool) return pool.error();
  executor->pool_ = std::move(*pool);
  executor->fallback_ = std::make_unique<SingleThreadFallback>();
  const bool oversubscribed = options.threads > usable_processors();
  executor->barrier_ = std::make_unique<Barrier>(
      options.threads, oversubscribed ? 0 : Barrier::kSpins * std::clamp(options.polling, 0, 100) / 50,
      [p = executor->pool_.get()](int ith) { p->spread(ith); });
  const auto threads = static_cast<size_t>(options.threads);
  executor->taken_ = std::make_unique<Taken[]>(2 * threads);
  executor->rings_ = options.recorder ? options.rings : std::vector<trace::ThreadRing*>();
  executor->rings_.resize(std::min(executor->rings_.size(), threads));
  while (executor->rings_.size() < threads)
    executor->rings_.push_back(
        options.recorder ? options.recorder->register_thread(fmt::format("worker {}", executor->rings_.size()))
                         : nullptr);
  if (options.recorder && !backend.runs_on_host_threads()) {
    backend.keep_spans(true);
    trace::DeviceInfo info;
    info.name = backend.description();
    info.backend = backend.name();
    executor->trace_device_ = options.recorder->describe(info);
    const auto known = options.rings.size() == threads + kDeviceRows;
    if (known)
      executor->rings_ = options.rings;
    else
      executor->add_device_rows();
  }
  return executor;
}

Executor::Executor(Backend& backend, std::shared_ptr<ExecutionContext> context, ExecutorOptions options)
    : backend_(backend), host_(options.host), context_(std::move(context)), options_(std::move(options)) {}

Executor::~Executor() = default;

PreparedSteps Executor::release_prepared() {
  prepared_ = false;
  items_.clear();
  by_step_.clear();
  transfers_.clear();
  return std::move(steps_);
}

Status Executor::prepare(ExecutionPlan plan, PreparedSteps previous) {
  PreparedSteps before = release_prepared();
  if (!previous.main) previous = std::move(before);
  plan_ = std::move(plan);
  if (plan_.threads != options_.threads)
    return Error{fmt::format("the plan is for {} threads, the executor has {}", plan_.threads, options_.threads)};
  if (!host_ && std::any_of(plan_.steps.begin(), plan_.steps.end(),
                            [](const PlannedStep& step) { return step.kind == StepKind::Host; }))
    return Error{"the plan has nodes for the host, and no backend was given that computes them"};
  const auto nodes = plan_.graph.nodes();
  for (const auto& list : {plan_.graph.leafs(), nodes})
    for (const TensorImpl* given : list)
      if (given->op == Op::None && !given->storage.allocated() && given->element_count() > 0)
        return Error{fmt::format("'{}' has no data: every input and weight must be given before a run", given->name)};
  views_of_.assign(options_.strategy == MemoryStrategy::Planned ? 0 : nodes.size(), {});
  for (TensorImpl* node : nodes) {
    if (!node->is_view()) continue;
    if (node->view_source->op == Op::None)
      node->storage = node->view_source->storage;
    else if (!views_of_.empty())
      views_of_[plan_.graph.find_node(*node->view_source).index()].push_back(node);
  }
  begins_.assign(plan_.steps.size(), plan_.memory.tensors, [](const PlannedTensor& t) { return t.first.index(); });
  ends_.assign(plan_.steps.size(), plan_.memory.tensors, [](const PlannedTensor& t) { return t.last.index() - 1; });
  find_packed();
  work_ = host_work_ = arena_ = Storage();
  auto work = Storage::allocate(*context_, backend_.device(), MemoryKind::Workspace, plan_.work_bytes);
  if (!work) return work.error();
  work_ = std::move(*work);
  auto host_work = Storage::allocate(*context_, {}, MemoryKind::Workspace, plan_.host_work_bytes);
  if (!host_work) return host_work.error();
  host_work_ = std::move(*host_work);
  Status bound = bind_spilled();
  if (!bound) return bound;
  if (options_.strategy == MemoryStrategy::Planned) {
    leave_out_joined();
    bound = bind_planned();
  }
  if (options_.strategy == MemoryStrategy::None) bound = bind_each();
  if (!bound) return bound;
  if (options_.strategy == MemoryStrategy::Eager) forget_places();
  settle_transfers();
  if (auto ok = prepare_steps(std::move(previous)); !ok) return ok;
  find_items();
  if (options_.recorder) describe();
  prepared_ = true;
  return {};
}

// Concatenations whose sources lie in their bytes already. What stood before and behind one is then next to each other,
// with the stronger of both barriers in between.
void Executor::leave_out_joined() {
  PlannedStep* before = nullptr;
  for (PlannedStep& step : plan_.steps) {
    if (step.tasks == 0) continue;
    if (!step.joined) {
      before = &step;
      continue;
    }
    step.tasks = 0;
    if (!before || before->behind == Behind::Barrier) continue;
    if (step.behind == Behind::Barrier)
      before->behind = Behind::Barrier;
    else if (step.behind == Behind::Independent)
      before->behind = Behind::Independent;
  }
}

// A COPY of something given which lies on the copy's own side is computed there.
void Executor::settle_transfers() {
  for (PlannedStep& step : plan_.steps) {
    if (step.kind != StepKind::Transfer) continue;
    const TensorImpl& node = plan_.graph.node(step.node);
    const bool on_host = node.storage.device().is_cpu();
    if (on_host == node.sources[0]->storage.device().is_cpu()) step.kind = on_host ? StepKind::Host : StepKind::Main;
  }
}

// Each backend gets its nodes in order. Parameters are given, and would part what a backend computes as one.
Status Executor::prepare_steps(PreparedSteps previous) {
  std::vector<const TensorImpl*> main, host;
  by_step_.assign(plan_.steps.size(), nullptr);
  std::vector<std::pair<size_t, size_t>> main_steps, host_steps;  // step, index in the backend's nodes
  for (size_t i = 0; i < plan_.steps.size(); ++i) {
    const PlannedStep& step = plan_.steps[i];
    const TensorImpl& node = plan_.graph.node(step.node);
    if (node.op == Op::None) continue;
    const bool on_host =
        host_ && (step.kind == StepKind::Host || (!has_work(node) && node.placement == Placement::Host));
    if (step.kind == StepKind::Transfer) {
      transfers_.push_back(make_transfer(backend_, node));
      by_step_[i] = transfers_.back().get();
    } else {
      (on_host ? host_steps : main_steps).emplace_back(i, (on_host ? host : main).size());
      (on_host ? host : main).push_back(&node);
    }
  }
  auto prepared = backend_.prepare(main, *context_, previous.main.get());
  if (!prepared) return prepared.error();
  steps_.main = std::move(*prepared);
  for (const auto& [step, index] : main_steps) by_step_[step] = &(*steps_.main)[index];
  if (host_) {
    prepared = host_->prepare(host, *context_, previous.host.get());
    if (!prepared) return prepared.error();
    steps_.host = std::move(*prepared);
    for (const auto& [step, index] : host_steps) by_step_[step] = &(*steps_.host)[index];
  }
  auto copied = settle_mapped_weights(plan_, by_step_, *context_);
  return copied ? Status() : copied.error();
}

void Executor::find_items() {
  items_.clear();
  *fallback_ = {};
  alone_ = true;
  bool swapped = false;
  for (size_t i = 0; i < plan_.steps.size(); ++i) {
    const PlannedStep& step = plan_.steps[i];
    if (step.tasks == 0) continue;
    alone_ = alone_ && step.tasks == 1;
    if (step.parts > step.tasks) swapped = !swapped;
    items_.push_back({static_cast<uint32_t>(i), step.tasks, step.parts, step.behind, swapped, 0, by_step_[i],
                      step.kind == StepKind::Host ? &host_work_ : &work_});
  }
  for (size_t i = items_.size(); i-- > 0;)
    items_[i].row_end =
        items_[i].behind == Behind::Row && i + 1 < items_.size() ? items_[i + 1].row_end : static_cast<uint32_t>(i);
}

Status Executor::bind_planned() {
  auto arena = Storage::allocate(*context_, backend_.device(), MemoryKind::Workspace, plan_.memory.arena_bytes,
                                 static_cast<size_t>(plan_.memory.alignment));
  if (!arena)
    return Error{
        fmt::format("the arena of {} bytes could not be had: {}", plan_.memory.arena_bytes, arena.error().message)};
  arena_ = std::move(*arena);
  return bind_plan(plan_.graph, plan_.memory, arena_);
}

// What was moved to the host lies there, whatever the strategy.
Status Executor::bind_spilled() {
  for (const Lifetime& life : plan_.memory.elsewhere) {
    if (life.placement != Placement::Host) continue;
    TensorImpl& node = plan_.graph.node(life.owner);
    auto storage = Storage::allocate(*context_, {}, MemoryKind::HostPageable, life.bytes);
    if (!storage) return Error{fmt::format("'{}' got no host memory: {}", node.name, storage.error().message)};
    node.storage = std::move(*storage);
    if (!views_of_.empty())  // else bind_plan() sees to them
      for (TensorImpl* view : views_of_[life.owner.index()]) view->storage = node.storage;
  }
  return {};
}

// Packed tensors come from the backend at each run.
void Executor::find_packed() {
  packed_begins_.assign(plan_.steps.size(), {});
  packed_ends_.assign(plan_.steps.size(), {});
  any_packed_ = false;
  for (const Lifetime& life : plan_.memory.elsewhere) {
    if (life.placement != Placement::Packed) continue;
    any_packed_ = true;
    packed_begins_[life.first.index()].push_back(life.owner);
    if (!life.kept) packed_ends_[life.last.index() - 1].push_back(life.owner);
  }
}

// What comes and goes with its step lies nowhere yet, but on which device is known.
void Executor::forget_places() {
  const Storage nowhere(backend_.device());
  for (const PlannedTensor& tensor : plan_.memory.tensors) {
    plan_.graph.node(tensor.node).storage = nowhere;
    for (TensorImpl* view : views_of_[tensor.node.index()]) view->storage = nowhere;
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
    note_owner(node, trace::TensorRef::node(tensor.node));
    for (TensorImpl* view : views_of_[tensor.node.index()]) view->storage = node.storage;
  }
  return {};
}

Status Executor::allocate_packed(size_t step) {
  for (NodeId id : packed_begins_[step]) {
    TensorImpl& node = plan_.graph.node(id);
    if (options_.strategy == MemoryStrategy::None && node.storage.allocated()) continue;
    auto storage = backend_.allocate_packed(node, *context_);
    if (!storage)
      return Error{fmt::format("'{}' at step {} got no memory: {}", node.name, step, storage.error().message)};
    node.storage = std::move(*storage);
    note_owner(node, trace::TensorRef::node(id));
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

}  // namespace arenascope
