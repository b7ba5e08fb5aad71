// SPDX-License-Identifier: MIT
// The steps of a plan that do work, each with the state that its backend prepared.
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
  SyncAfter sync_after;
  bool swapped;      // which of the two sets of work-stealing cursors it uses
  uint32_t run_end;  // the last item of the single-thread run that starts here, or this item
  PreparedNode* prepared;
  const Storage* work;  // the work buffer of its backend
  NodeId node;
  bool on_device;  // computing it only queues it: its time comes from the device
};

class StepList {
 public:
  // `host`: host backend of a partitioned graph, else null. Both backends must outlive this object.
  StepList(Backend& main, Backend* host) : main_(main), host_(host) {}

  // `plan` must be bound to `memory`. Adjusts its steps: aliased concatenations have no work, and copies within one memory
  // are computed on that side. Packed weights of `previous` are reused. Errors: preparing a node fails.
  Status prepare(ExecutionPlan& plan, const BoundMemory& memory, ExecutionContext& context,
                 const ExecutorOptions& options, const PreparedSteps& previous);
  const PreparedSteps& prepared() const { return prepared_; }
  PreparedSteps release();

  const std::vector<StepItem>& items() const { return items_; }
  // The step of an item; the number of steps for the end.
  uint32_t step_of(size_t item) const { return item < items_.size() ? items_[item].step : steps_; }
  PackedWeights packed_weights() const;
  bool one_thread() const { return one_thread_; }  // no step uses more than one thread
  // These forward to the PreparedGraph of both backends.
  void warm_up(int ith, int nth);
  // `inspected`: results are inspected between nodes, or memory is rebound.
  Status begin_run(bool inspected);
  bool interruptible() const { return prepared_.main->interruptible(); }
  // Nodes that are launched together in a run that is not inspected: each list ends with the node that launches them.
  std::vector<std::vector<NodeId>> joint_launches() const;
  void abort_run();
  const Backend& backend_of(const TensorImpl& node) const;

 private:
  SubmitMode uninspected_mode() const {
    return host_ || !transfers_.empty() ? SubmitMode::Segmented : SubmitMode::WholeGraph;
  }
  Status prepare_nodes(const ExecutionPlan& plan, ExecutionContext& context, const PreparedSteps& previous);
  void find_items(const ExecutionPlan& plan, const BoundMemory& memory);

  Backend& main_;
  Backend* const host_;
  PreparedSteps prepared_;
  std::vector<std::unique_ptr<PreparedNode>> transfers_;
  std::vector<PreparedNode*> by_step_;  // null: not computed
  std::vector<NodeId> main_nodes_;      // by their number in prepared_.main
  std::vector<StepItem> items_;
  uint32_t steps_ = 0;
  bool one_thread_ = false;
};

}  // namespace arenascope
