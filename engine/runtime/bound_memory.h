// SPDX-License-Identifier: MIT
// Where a plan's tensors lie in a run: the arena at the plan's offsets, or memory of their own that lasts for a tensor's
// life or for the run, as the strategy has it; host memory for what was moved there; packed tensors from the backend at
// each run; and the scratch of both backends.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include <arenascope/runtime/backend.h>
#include <arenascope/runtime/memory_strategy.h>
#include <arenascope/schedule/execution_plan.h>

namespace arenascope {

class OwnerObserver;  // schedule/describe.h

class BoundMemory {
 public:
  BoundMemory(Backend& backend, std::shared_ptr<ExecutionContext> context, MemoryStrategy strategy)
      : backend_(backend), context_(std::move(context)), strategy_(strategy) {}

  // Binds the tensors of the plan's graph; what was bound before is let go. The plan is read until the next bind().
  // Errors: no memory.
  Status bind(const ExecutionPlan& plan);
  // Reports whose the memory is: now of what is bound (the arena, weights, inputs, results with memory of their own), and from then
  // until the next bind() of what a step gets. `graph`: as which the plan's graph was described; null: none are reported.
  void report_owners(trace::GraphId graph, std::shared_ptr<OwnerObserver> observer);

  // Whether something is allocated or given back between steps.
  bool changes() const { return strategy_ == MemoryStrategy::Eager || (any_packed_ && !packed_held_); }
  // Before a run. `hold`: packed tensors keep the memory that they had in the last run that allocated it step by step, so
  // that nothing changes its place; where that cannot be had, and without `hold`, the run allocates it step by step.
  void hold_packed(bool hold);
  // Before a step and behind it, with no other step being computed. Errors: no memory.
  Status begin(size_t step);
  void end(size_t step);

  const Storage& arena() const { return arena_; }
  const Storage& work() const { return work_; }
  const Storage& host_work() const { return host_work_; }

 private:
  // Planned tensors by step.
  class ByStep {
   public:
    template <class StepOf>
    void assign(size_t steps, const std::vector<PlannedTensor>& tensors, StepOf&& step_of) {
      first_.assign(steps + 1, 0);
      for (const PlannedTensor& tensor : tensors) ++first_[step_of(tensor) + 1];
      for (size_t i = 0; i < steps; ++i) first_[i + 1] += first_[i];
      list_.resize(tensors.size());
      std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
      for (uint32_t i = 0; i < tensors.size(); ++i) list_[next[step_of(tensors[i])]++] = i;
    }
    std::span<const uint32_t> operator[](size_t step) const {
      return {list_.data() + first_[step], first_[step + 1] - first_[step]};
    }

   private:
    std::vector<uint32_t> first_, list_;
  };

  void find_views();
  void find_packed();
  bool take_packed_again();
  void give_packed_back();
  bool lies_in_pool(const TensorImpl& node) const;
  Status bind_scratch();
  Status bind_offloaded();
  Status bind_planned();
  Status bind_each();
  void forget_places();
  Status allocate_output(size_t step);
  Status allocate_packed(size_t step);
  void report_owner(const TensorImpl& tensor, trace::TensorRef ref) const;

  Backend& backend_;
  const std::shared_ptr<ExecutionContext> context_;
  const MemoryStrategy strategy_;
  const ExecutionPlan* plan_ = nullptr;
  Storage arena_, work_, host_work_;
  std::shared_ptr<OwnerObserver> owners_;  // null: none
  trace::GraphId graph_;
  std::vector<std::vector<TensorImpl*>> views_of_;  // unless planned: by node: the views that share its bytes
  ByStep begins_, ends_;                            // planned tensors whose life begins with a step, or ends behind it
  std::vector<std::vector<NodeId>> packed_begins_, packed_ends_;  // by step
  bool any_packed_ = false, packed_held_ = false;
  std::vector<const std::byte*> packed_places_;  // by node, of the last run that allocated step by step; null: none
};

}  // namespace arenascope
