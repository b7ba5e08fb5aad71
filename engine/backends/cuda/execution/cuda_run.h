// SPDX-License-Identifier: MIT
// Nodes prepared for a CUDA device: chains of them that one kernel computes, and the run's captured graph.
#pragma once
#include "engine/backends/cuda/execution/cuda_backend.h"
#include "engine/backends/cuda/lowering/chains.h"

namespace arenascope::cuda {

class CudaBackend::Run final : public PreparedRun {
 public:
  Run(CudaBackend& backend, std::span<const TensorImpl* const> nodes);
  ~Run() override;

  // As one, nodes may be joined, and the run captured and replayed; copies and the host's nodes would break a capture.
  Status begin_run(RunShape shape) override;
  // All nodes that are to be queued are queued.
  void end();
  // The node of a fault's number; null: none of this run's.
  const TensorImpl* find(unsigned long long number) const;

 private:
  class Node;
  Status compute(size_t index, const ComputeParams& params);
  Job job(size_t index, const ComputeParams& params) const;
  Status queue_node(size_t index, const ComputeParams& params);
  Status queue_part(size_t part, const ComputeParams& params);
  Status capture();
  void forget_graph();
  // A number that changes when a tensor or the scratch has got another place.
  uint64_t places() const { return places_of(given_, work_.work); }

  CudaBackend& backend_;
  const std::vector<const TensorImpl*> given_;
  std::vector<Chains::Part> parts_;
  std::vector<size_t> part_of_;  // by node
  bool as_one_ = false, replaying_ = false;
  // Parts in the order queued: by this run, and by the last one as one (not those that the executor passes over).
  std::vector<size_t> queued_parts_, whole_run_;
  ComputeParams work_;  // as the last run had it
  GraphHandle graph_ = 0;
  uint64_t graph_places_ = 0;  // where everything lay when it was captured
  bool graph_failed_ = false, graph_may_fault_ = false;
};

}  // namespace arenascope::cuda
