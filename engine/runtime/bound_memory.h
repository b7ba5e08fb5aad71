// SPDX-License-Identifier: MIT
// The memory of a plan's tensors in a run. Depending on the strategy tensors are in the arena at the planned offsets, or have
// their own allocation for their lifetime or for the run. Offloaded tensors are in host memory; images are allocated by the
// backend in each run. Also owns the work buffers of both backends.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include <arenascope/runtime/backend.h>
#include <arenascope/runtime/memory_strategy.h>
#include <arenascope/schedule/execution_plan.h>

namespace arenascope {

class BindingObserver;  // schedule/describe.h

class BoundMemory {
 public:
  BoundMemory(Backend& backend, std::shared_ptr<ExecutionContext> context, MemoryStrategy strategy)
      : backend_(backend), context_(std::move(context)), strategy_(strategy) {}

  // Binds the tensors of the plan's graph and releases earlier bindings. `plan` must stay valid until the next bind().
  // Errors: out of memory.
  Status bind(const ExecutionPlan& plan);
  // Reports which tensor each block is bound to: now for all bound memory (arena, weights, inputs, separately allocated
  // results), and later for each allocation until the next bind(). `graph`: id in the recording; none: nothing is reported.
  void report_bindings(trace::GraphId graph, std::shared_ptr<BindingObserver> observer);

  // True if memory is allocated or freed between steps.
  bool changes() const { return strategy_ == MemoryStrategy::Eager || (any_image_ && !images_pinned_); }
  // Called before a run. `hold`: images keep the memory of the last run that allocated them step by step, so that no address
  // changes. If that memory is not available, or without `hold`, the run allocates images step by step.
  void pin_images(bool hold);
  // Called before and after a step, while no other step is being computed. Errors: out of memory.
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
  void find_images();
  bool reacquire_images();
  void release_images();
  bool is_in_pool(const TensorImpl& node) const;
  Status bind_scratch();
  Status bind_offloaded();
  Status bind_planned();
  Status bind_each();
  void unbind_all();
  Status allocate_output(size_t step);
  Status allocate_image(size_t step);
  void report_binding(const TensorImpl& tensor, trace::TensorRef ref) const;

  Backend& backend_;
  const std::shared_ptr<ExecutionContext> context_;
  const MemoryStrategy strategy_;
  const ExecutionPlan* plan_ = nullptr;
  Storage arena_, work_, host_work_;
  std::shared_ptr<BindingObserver> binding_observer_;  // null: none
  trace::GraphId graph_;
  std::vector<std::vector<TensorImpl*>>
      views_of_;          // by node: views that share its memory; empty for the planned strategy
  ByStep begins_, ends_;  // planned tensors by the first and the last step of their lifetime
  std::vector<std::vector<NodeId>> image_begins_, image_ends_;  // by step
  bool any_image_ = false, images_pinned_ = false;
  std::vector<const std::byte*>
      image_addresses_;  // by node: addresses in the last run that allocated step by step; null: none
};

}  // namespace arenascope
