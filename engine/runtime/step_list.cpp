// SPDX-License-Identifier: MIT
#include "engine/runtime/step_list.h"

#include "engine/runtime/transfer.h"
#include "engine/runtime/weight_use.h"

namespace arenascope {
namespace {

// Removes the work of concatenations whose inputs are aliased into their result. The steps before and after one become
// neighbours, separated by the stronger of the two synchronisations.
void leave_out_joined(ExecutionPlan& plan) {
  PlannedStep* before = nullptr;
  for (PlannedStep& step : plan.steps) {
    if (step.tasks == 0) continue;
    if (!step.joined) {
      before = &step;
      continue;
    }
    step.tasks = 0;
    if (!before || before->sync_after == SyncAfter::Barrier) continue;
    if (step.sync_after == SyncAfter::Barrier)
      before->sync_after = SyncAfter::Barrier;
    else if (step.sync_after == SyncAfter::None)
      before->sync_after = SyncAfter::None;
  }
}

// A COPY whose input and result are in the same memory is computed by the backend of that memory.
void settle_transfers(ExecutionPlan& plan, const Backend* host) {
  for (PlannedStep& step : plan.steps) {
    if (step.kind != StepKind::Transfer) continue;
    const TensorImpl& node = plan.graph.node(step.node);
    const bool on_host = node.storage.device().is_cpu();
    if (on_host == node.sources[0]->storage.device().is_cpu())
      step.kind = on_host && host ? StepKind::Host : StepKind::Main;
  }
}

}  // namespace

Status StepList::prepare(ExecutionPlan& plan, const BoundMemory& memory, ExecutionContext& context,
                         const ExecutorOptions& options, const PreparedSteps& previous) {
  if (options.strategy == MemoryStrategy::Planned) leave_out_joined(plan);
  settle_transfers(plan, host_);
  if (auto ok = prepare_nodes(plan, context, previous); !ok) return ok;
  if (options.settle_weights)
    if (auto ok = options.settle_weights(plan.graph, unpacked_weights(plan, by_step_)); !ok) return ok;
  find_items(plan, memory);
  return {};
}

PreparedSteps StepList::release() {
  items_.clear();
  by_step_.clear();
  transfers_.clear();
  return std::move(prepared_);
}

// Passes each backend its nodes in execution order. Leaf tensors (Op::None) are skipped, as they would split sequences that a
// backend fuses.
Status StepList::prepare_nodes(const ExecutionPlan& plan, ExecutionContext& context, const PreparedSteps& previous) {
  struct Part {
    std::vector<const TensorImpl*> nodes;
    std::vector<size_t> steps;
  } main, host;
  by_step_.assign(plan.steps.size(), nullptr);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlannedStep& step = plan.steps[i];
    const TensorImpl& node = plan.graph.node(step.node);
    if (node.op == Op::None) continue;
    if (step.kind == StepKind::Transfer) {
      by_step_[i] = transfers_.emplace_back(make_transfer(main_, node)).get();
      continue;
    }
    const bool on_host =
        host_ && (step.kind == StepKind::Host || (!has_work(node) && node.placement == Placement::Host));
    Part& part = on_host ? host : main;
    part.nodes.push_back(&node);
    part.steps.push_back(i);
  }
  main_nodes_.clear();
  for (const size_t step : main.steps) main_nodes_.push_back(plan.steps[step].node);
  const auto prepare_on = [&](Backend& backend, const Part& part, const std::unique_ptr<PreparedGraph>& before,
                              std::unique_ptr<PreparedGraph>& made) -> Status {
    auto prepared = backend.prepare(part.nodes, context, before.get());
    if (!prepared) return prepared.error();
    made = std::move(*prepared);
    for (size_t i = 0; i < part.steps.size(); ++i) by_step_[part.steps[i]] = &(*made)[i];
    return {};
  };
  if (auto ok = prepare_on(main_, main, previous.main, prepared_.main); !ok || !host_) return ok;
  return prepare_on(*host_, host, previous.host, prepared_.host);
}

void StepList::find_items(const ExecutionPlan& plan, const BoundMemory& memory) {
  items_.clear();
  steps_ = static_cast<uint32_t>(plan.steps.size());
  one_thread_ = true;
  bool swapped = false;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlannedStep& step = plan.steps[i];
    if (step.tasks == 0) continue;
    one_thread_ = one_thread_ && step.tasks == 1;
    if (step.parts > step.tasks) swapped = !swapped;
    items_.push_back({static_cast<uint32_t>(i), step.tasks, step.parts, step.sync_after, swapped, 0, by_step_[i],
                      step.kind == StepKind::Host ? &memory.host_work() : &memory.work(), step.node,
                      step.kind == StepKind::Main && !main_.runs_on_host_threads()});
  }
  for (size_t i = items_.size(); i-- > 0;)
    items_[i].run_end = items_[i].sync_after == SyncAfter::SameThread && i + 1 < items_.size()
                            ? items_[i + 1].run_end
                            : static_cast<uint32_t>(i);
}

PackedWeights StepList::packed_weights() const {
  PackedWeights sum;
  for (const PreparedGraph* prepared : {prepared_.main.get(), prepared_.host.get()})
    if (prepared) sum += prepared->packed_weights();
  return sum;
}

void StepList::warm_up(int ith, int nth) {
  if (prepared_.main) prepared_.main->warm_up(ith, nth);
  if (prepared_.host) prepared_.host->warm_up(ith, nth);
}

Status StepList::begin_run(bool inspected) {
  const SubmitMode mode = inspected ? SubmitMode::PerNode : uninspected_mode();
  if (auto ok = prepared_.main->begin_run(mode); !ok || !host_) return ok;
  return prepared_.host->begin_run(SubmitMode::PerNode);
}

std::vector<std::vector<NodeId>> StepList::joint_launches() const {
  std::vector<std::vector<NodeId>> out;
  for (size_t i = 0; i < main_nodes_.size() && uninspected_mode() == SubmitMode::WholeGraph; ++i)
    if (const size_t count = prepared_.main->nodes_of_launch(i); count > 1)
      out.emplace_back(main_nodes_.begin() + static_cast<ptrdiff_t>(i + 1 - count),
                       main_nodes_.begin() + static_cast<ptrdiff_t>(i + 1));
  return out;
}

void StepList::abort_run() {
  prepared_.main->abort_run();
  if (host_) prepared_.host->abort_run();
}

const Backend& StepList::backend_of(const TensorImpl& node) const {
  return host_ && node.placement == Placement::Host && node.op != Op::Copy ? *host_ : main_;
}

}  // namespace arenascope
