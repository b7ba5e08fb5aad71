// SPDX-License-Identifier: MIT
#include <arenascope/runtime/executor.h>

#include <algorithm>

#include <fmt/format.h>

#include <arenascope/runtime/barrier.h>
#include <arenascope/schedule/quick_plan.h>

#include "engine/runtime/single_thread_fallback.h"
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
  if (!backend.runs_on_host_threads()) options.threads = 1;
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
    : backend_(backend), context_(std::move(context)), options_(std::move(options)) {}

Executor::~Executor() = default;

Status Executor::prepare(ExecutionPlan plan) {
  prepared_ = false;
  plan_ = std::move(plan);
  if (plan_.threads != options_.threads)
    return Error{fmt::format("the plan is for {} threads, the executor has {}", plan_.threads, options_.threads)};
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
  work_ = Storage();
  arena_ = Storage();
  auto work = Storage::allocate(*context_, backend_.device(), MemoryKind::Workspace, plan_.work_bytes);
  if (!work) return work.error();
  work_ = std::move(*work);
  Status bound = bind_spilled();
  if (!bound) return bound;
  if (options_.strategy == MemoryStrategy::Planned) {
    leave_out_joined();
    bound = bind_planned();
  }
  if (options_.strategy == MemoryStrategy::None) bound = bind_each();
  if (!bound) return bound;
  std::vector<TensorImpl*> in_order;
  for (const PlannedStep& step : plan_.steps)  // parameters are given, and would part what a backend computes as one
    if (TensorImpl& node = plan_.graph.node(step.node); node.op != Op::None) in_order.push_back(&node);
  if (auto ok = backend_.prepare(in_order, *context_); !ok) return ok;
  auto copied = settle_mapped_weights(plan_, backend_, *context_);
  if (!copied) return copied.error();
  if (*copied > 0)  // weights that one node reads and another packs lie elsewhere now
    if (auto ok = backend_.prepare(in_order, *context_); !ok) return ok;
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
    items_.push_back({static_cast<uint32_t>(i), step.tasks, step.parts, step.behind, swapped, 0,
                      backend_.launch(plan_.graph.node(step.node))});
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
    if (!backend_.copies_to_host())
      return Error{fmt::format("'{}' lies in host memory, which {} does not copy to", node.name, backend_.name())};
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
    if (!storage)
      return Error{fmt::format("'{}' at step {} got no memory: {}", node.name, step, storage.error().message)};
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

}  // namespace arenascope
