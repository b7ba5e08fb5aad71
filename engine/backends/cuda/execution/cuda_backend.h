// SPDX-License-Identifier: MIT
// The CUDA backend: queues nodes on a compute stream, and copies on a stream of their own.
// - A run at which nobody looks in between is queued with chains of pointwise nodes as one kernel each; from its second
//   time on the whole of it is captured as a CUDA graph, and replayed from then on.
// - Weights and inputs go through pinned staging, so that filling a buffer overlaps the copy of the other one.
// - A run whose times are wanted is queued node by node; the times come from the driver's activity records or from
//   timers.
// It knows the device through Driver alone.
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
  Bytes work_bytes(const TensorImpl& node, int tasks) const override;

  Status register_memory(ExecutionContext& context) override;
  Status synchronize() override;
  Status upload(const Storage& to, const std::byte* from, Bytes bytes) override;
  Status download(std::byte* to, const Storage& from, Bytes bytes) override;
  using Backend::prepare;
  Result<std::unique_ptr<PreparedRun>> prepare(std::span<const TensorImpl* const> nodes, ExecutionContext& context,
                                               const PreparedRun* previous) override;
  void keep_spans(bool keep) override;
  std::vector<DeviceSpan> take_spans(const std::function<Nanoseconds()>& now) override;
  void attribute_copies(const TensorImpl* node) override { timeline_->attribute_copies(node); }
  // Libraries that are not used, a capture or pinned pages that were refused, how the device's memory lies; each once.
  BackendNotes take_notes() override;

  const std::shared_ptr<DeviceCachingAllocator>& memory() const { return memory_; }
  Stream compute_stream() const { return {device(), compute_}; }
  Stream copy_stream() const { return {device(), copies_}; }
  // How many runs were replayed so far.
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
  EventHandle between_ = 0;  // orders one stream behind the other
  std::unique_ptr<Queue> queue_;
  std::shared_ptr<PinnedMemory> pages_;
  std::shared_ptr<DeviceCachingAllocator> memory_, pinned_;
  std::unique_ptr<Staging> staging_;
  std::unique_ptr<Timeline> timeline_;
  BlockPtr fault_block_, fault_copy_;  // a word of the device's, and where the host looks at it
  IndexFault* fault_ = nullptr;
  bool may_fault_ = false;
  bool copies_pending_ = false;

  Run* running_ = nullptr;  // which queued a node last, until it goes
  int replays_ = 0;
  std::string why_no_graph_;
  std::set<std::string> reported_;  // notes, each once
};

}  // namespace arenascope::cuda
