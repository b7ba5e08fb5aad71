// SPDX-License-Identifier: MIT
// The CUDA backend: queues nodes on a compute stream, and copies on a separate stream.
// - A run that is not inspected between nodes is queued with chains of pointwise nodes as one kernel each; on its second
// execution it is captured as a CUDA graph, which later executions replay.
// - Weights and inputs go through pinned staging buffers, so that filling one overlaps with copying the other.
// - Node times come from the driver's activity records or from timers, which change nothing of this.
// It uses the device only through Driver.
#pragma once
#include <arenascope/memory/device_caching_allocator.h>
#include <arenascope/runtime/backend.h>
#include "engine/backends/cuda/execution/options.h"
#include "engine/backends/cuda/execution/staging.h"
#include "engine/backends/cuda/execution/timeline.h"
#include "engine/backends/cuda/lowering/lower.h"

#include <functional>
#include <set>

namespace arenascope::cuda {

class CudaBackend final : public Backend {
 public:
  static Result<std::unique_ptr<CudaBackend>> make(std::shared_ptr<Driver> driver, const CudaOptions& options);
  ~CudaBackend() override;

  std::string_view name() const override { return "cuda"; }
  Device device() const override { return driver_->device(); }
  std::string description() const override;
  bool runs_on_host_threads() const override { return false; }
  Bytes alignment() const override { return 256; }

  Status supports(const TensorImpl& node) const override { return cuda::supports(node); }
  int tasks(const TensorImpl&, int) const override { return 1; }
  bool multiplies_halves() const override { return true; }
  Bytes work_bytes(const TensorImpl& node, int tasks) const override;

  Status register_memory(ExecutionContext& context) override;
  Status synchronize() override;
  Status upload(const Storage& to, const std::byte* from, Bytes bytes) override;
  Status download(std::byte* to, const Storage& from, Bytes bytes) override;
  using Backend::prepare;
  Result<std::unique_ptr<PreparedGraph>> prepare(std::span<const TensorImpl* const> nodes, ExecutionContext& context,
                                                 const PreparedGraph* previous) override;
  void enable_profiling(bool keep) override;
  std::vector<DeviceSpan> drain_spans(const std::function<Nanoseconds()>& now) override;
  void attribute_copies(const TensorImpl* node) override { timeline_->attribute_copies(node); }
  // Unused libraries, failed captures or pinned allocations, and the state of device memory; each once.
  BackendDiagnostics drain_diagnostics() override;

  const std::shared_ptr<DeviceCachingAllocator>& memory() const { return memory_; }
  Stream compute_stream() const { return {device(), compute_}; }
  Stream copy_stream() const { return {device(), copies_}; }
  // Number of replayed runs so far.
  int replays() const { return replays_; }

 private:
  class Run;
  CudaBackend(std::shared_ptr<Driver> driver, const CudaOptions& options);
  Status start();
  Status compute_waits_for_copies();
  Status allocate_fault(ExecutionContext& context);
  Status check_fault();

  const CudaOptions options_;
  std::shared_ptr<Driver> driver_;
  StreamHandle compute_ = 0, copies_ = 0;
  EventHandle between_ = 0;  // orders one stream after the other
  std::unique_ptr<Queue> queue_;
  std::shared_ptr<PinnedMemory> pages_;
  std::shared_ptr<DeviceCachingAllocator> memory_, pinned_;
  std::unique_ptr<Staging> staging_;
  std::unique_ptr<Timeline> timeline_;
  BlockPtr fault_block_, fault_copy_;  // the fault record on the device, and its copy on the host
  IndexFault* fault_ = nullptr;
  bool may_fault_ = false;
  bool copies_pending_ = false;

  Run* running_ = nullptr;  // the run that queued a node last, until it is destroyed
  int replays_ = 0;
  std::string why_no_graph_, why_no_timed_graph_;
  std::set<std::string> reported_;  // notes, each once
};

}  // namespace arenascope::cuda
