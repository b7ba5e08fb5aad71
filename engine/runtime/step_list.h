// SPDX-License-Identifier: MIT
// The steps of a plan that have work, each with what its backend prepared for it.
#pragma once
#include <memory>
#include <vector>

#include <arenascope/runtime/executor.h>

#include "engine/runtime/bound_memory.h"

namespace arenascope {

// A step with work.
struct StepItem {
  uint32_t step;
  int32_t tasks, parts;
  Behind behind;
  bool swapped;      // which set of counters says what was taken of its parts
  uint32_t row_end;  // the item that ends the row which begins here, or itself
  PreparedNode* prepared;
  const Storage* work;  // the buffer of its backend
  NodeId node;
};

class StepList {
 public:
  // `host`: of a partitioned graph; else null. Both outlive it.
  StepList(Backend& main, Backend* host) : main_(main), host_(host) {}

  // `plan` is bound to `memory`; its steps are settled here: what is joined already has no work, and copies of what is
  // given are computed where it lies. Packed weights of `previous` are taken over. Errors: what preparing a node runs into.
  Status prepare(ExecutionPlan& plan, const BoundMemory& memory, ExecutionContext& context, MemoryStrategy strategy,
                 PreparedSteps previous);
  PreparedSteps release();

  const std::vector<StepItem>& items() const { return items_; }
  // The step of an item; behind the last item the number of steps.
  uint32_t step_of(size_t item) const { return item < items_.size() ? items_[item].step : steps_; }
  PackedWeights packed_weights() const;
  bool one_thread() const { return one_thread_; }  // no step needs a second one
  // As PreparedRun has them, of both backends.
  void make_ready(int ith, int nth);
  // `watched`: somebody looks between nodes, or something changes its place.
  Status begin_run(bool watched);
  void break_off();
  const Backend& backend_of(const TensorImpl& node) const;

 private:
  Status prepare_nodes(const ExecutionPlan& plan, ExecutionContext& context, const PreparedSteps& previous);
  void find_items(const ExecutionPlan& plan, const BoundMemory& memory);

  Backend& main_;
  Backend* const host_;
  PreparedSteps prepared_;
  std::vector<std::unique_ptr<PreparedNode>> transfers_;
  std::vector<PreparedNode*> by_step_;  // null: not to be computed
  std::vector<StepItem> items_;
  uint32_t steps_ = 0;
  bool one_thread_ = false;
};

}  // namespace arenascope
