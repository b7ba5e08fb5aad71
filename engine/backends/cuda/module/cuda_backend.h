// SPDX-License-Identifier: MIT
// The CUDA backend: queues nodes on a compute stream, and copies on a stream of their own.
// - A run at which nobody looks in between is queued with chains of pointwise nodes as one kernel each; from its second
//   time on the whole of it is captured as a CUDA graph, and replayed from then on.
// - Weights and inputs go through two pinned buffers in turn, so that filling one overlaps the copy of the other.
// - A timed run is queued node by node between events, whose times are put on the host's clock.
#pragma once
#include <arenascope/backends/cuda/lowering/chains.h>
#include <arenascope/backends/cuda/lowering/lower.h>
#include <arenascope/backends/cuda/module/cuda_device.h>
#include <arenascope/backends/cuda/module/stream_queue.h>
#include <arenascope/memory/device_caching_allocator.h>
#include <arenascope/runtime/backend.h>
#include <arenascope/trace/clock.h>

#include <deque>
#include <unordered_map>

namespace arenascope::cuda {

// What the backend is told when a run begins.
struct RunStart {
  bool whole = true;  // nobody looks between the nodes, which lie where they lay at prepare(): they may be queued, joined
                      // and replayed as one
  bool timed = false;  // the device's times are wanted
  const trace::Clock* clock = nullptr;  // on which; outlives the run
};

// What the device did, on the host's clock. `node` counts in the order given to prepare(); -1: a copy.
struct DeviceSpan {
  int32_t node = -1;
  Nanoseconds begin = 0, end = 0;
  Bytes bytes = 0;  // of a copy
};

struct CudaOptions {
  int device = 0;
  bool tf32 = false;      // f32 products and convolutions on tensor cores, with 10 bits of fraction
  bool graphs = true;     // capture and replay
  bool chains = true;     // join pointwise nodes
  bool libraries = true;  // cuBLASLt and cuDNN
};

class CudaBackend final : public Backend {
 public:
  static Result<std::unique_ptr<Backend>> open(const CudaOptions& options);
  ~CudaBackend() override;

  std::string_view name() const override { return "cuda"; }
  Device device() const override { return device_->device(); }
  std::string description() const override { return description_; }
  bool runs_on_host_threads() const override { return false; }
  Bytes alignment() const override { return 256; }

  Status supports(const TensorImpl& node) const override { return cuda::supports(node); }
  int tasks(const TensorImpl&, int) const override { return 1; }
  Bytes work_bytes(const TensorImpl& node, int tasks) const override;
  Status compute(const TensorImpl& node, const ComputeParams& params) override;

  Status register_memory(ExecutionContext& context) override;
  Status synchronize() override;
  Status upload(const Storage& to, const std::byte* from, Bytes bytes) override;
  Status download(std::byte* to, const Storage& from, Bytes bytes) override;
  Status prepare(std::span<TensorImpl* const> nodes, ExecutionContext& context) override;
  Status begin_run(const RunStart& start);
  std::vector<DeviceSpan> device_spans();
  Result<std::vector<BenchRow>> bench(bool quick) override;

 private:
  struct Staging {
    BlockPtr block;
    cudaEvent_t copied = nullptr;
  };
  struct Timed {
    int32_t node;
    size_t begin, end;  // events
  };

  CudaBackend(const CudaOptions& options, std::string description);
  Status start(const cudaDeviceProp& properties);
  Status queue_node(const TensorImpl& node, size_t number, const ComputeParams& params);
  Status queue_part(size_t part, const ComputeParams& params);
  Status capture();
  void forget_graph();
  Status order_streams(cudaStream_t behind, cudaStream_t first);
  Result<size_t> record_time();
  Status check_mishap();
  Error failed(const char* action, cudaError_t code) const { return cuda_error(options_.device, action, code); }

  const CudaOptions options_;
  const std::string description_;
  std::shared_ptr<CudaDevice> device_;
  cudaStream_t compute_ = nullptr, copies_ = nullptr;
  cudaEvent_t between_ = nullptr;  // orders one stream behind the other
  std::unique_ptr<StreamQueue> queue_;
  std::shared_ptr<DeviceCachingAllocator> memory_, pinned_;
  Staging staging_[2];
  Mishap* mishap_ = nullptr;
  bool may_mishap_ = false;
  bool copies_pending_ = false;

  std::vector<TensorImpl*> nodes_;                         // as prepared
  std::unordered_map<const TensorImpl*, size_t> numbers_;  // in nodes_
  std::vector<Chains::Part> parts_;
  std::vector<size_t> part_of_;           // by node
  std::deque<const TensorImpl*> others_;  // computed without having been prepared, since the last wait
  RunStart run_{false, false, nullptr};
  bool replaying_ = false;
  int whole_runs_ = 0;
  ComputeParams work_;  // as the last run had it
  cudaGraphExec_t graph_ = nullptr;
  bool graph_failed_ = false;

  std::vector<cudaEvent_t> events_;
  size_t used_events_ = 0;
  std::vector<Timed> timed_;
  Nanoseconds base_time_ = 0;
};

}  // namespace arenascope::cuda
