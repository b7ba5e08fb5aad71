// SPDX-License-Identifier: MIT
// Nodes prepared for a CUDA device: chains computed by one kernel each, and the run's captured graph. Profiling changes
// neither; if times come from timers, a second graph has the same kernels with timers between them.
#pragma once
#include "engine/backends/cuda/execution/cuda_backend.h"
#include "engine/backends/cuda/lowering/chains.h"

namespace arenascope::cuda {

class CudaBackend::Run final : public PreparedGraph {
 public:
  Run(CudaBackend& backend, std::span<const TensorImpl* const> nodes);
  ~Run() override;

  // SubmitMode::WholeGraph allows chains, capture and replay; copies and host nodes would break a capture.
  Status begin_run(SubmitMode mode) override;
  size_t nodes_of_launch(size_t i) const override;
  bool interruptible() const override { return !as_one_ || (!replaying_ && parts_.size() == given_.size()); }
  void abort_run() override;
  // All nodes of the run are queued.
  void end();
  // The node with a fault's number; null: not in this run.
  const TensorImpl* find(unsigned long long number) const;

 private:
  class Node;
  Status compute(size_t index, const ComputeParams& params);
  LaunchRequest request(size_t index, const ComputeParams& params) const;
  Status queue_node(size_t index, const ComputeParams& params);
  Status queue_part(size_t part, const ComputeParams& params);
  Status timed(const TensorImpl& node, const std::function<Status()>& queue);
  struct Captured {
    GraphHandle graph = 0;
    uint64_t fingerprint = 0;  // address fingerprint at capture time
    bool failed = false, may_fault = false;
    CapturedPieces pieces;
  };
  Captured* graph_to_launch();
  Status capture(Captured& captured);
  void forget(Captured& captured) noexcept;
  // A fingerprint that changes when a tensor or the scratch has another address.
  uint64_t places() const { return address_fingerprint(given_, work_.work); }

  CudaBackend& backend_;
  const std::vector<const TensorImpl*> given_;
  std::vector<Chains::Part> parts_;
  std::vector<size_t> part_of_;  // by node
  bool as_one_ = false, replaying_ = false;
  // Parts in queueing order: of this run, and of the last complete one (without parts that the executor skips).
  std::vector<size_t> queued_parts_, whole_run_;
  ComputeParams work_;  // work of the last run
  Captured plain_, timed_;
};

}  // namespace arenascope::cuda
