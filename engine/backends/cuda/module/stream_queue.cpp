// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/module/stream_queue.h"
#include <fmt/format.h>
#include "engine/backends/cuda/module/kernel_entry.h"

namespace arenascope::cuda {
namespace {

const void* entry(KernelId id) {
  if (const void* found = pointwise_entry(id)) return found;
  if (const void* found = row_ops_entry(id)) return found;
  return matmul_entry(id);
}

}  // namespace

StreamQueue::StreamQueue(const Driver& driver, int device, cudaStream_t stream, const QueueOptions& options)
    : driver_(driver), device_(device), stream_(stream) {
  if (!options.libraries) return;
  matmul_ = std::make_unique<CublasMatmul>(device, options.tf32);
  windows_ = CudnnWindows::make(device, options.tf32);
}

// The libraries' cleanup calls the driver: if that is unloaded, their handles are leaked.
StreamQueue::~StreamQueue() {
  if (driver_.alive()) return;
  static_cast<void>(matmul_.release());
  static_cast<void>(windows_.release());
}

Status StreamQueue::launch(KernelId kernel, const Grid& grid, const void* params, size_t) {
  const DeviceGuard guard(device_);
  void* arguments[] = {const_cast<void*>(params)};
  const cudaError_t code =
      cudaLaunchKernel(entry(kernel), dim3(grid.blocks), dim3(grid.threads), arguments, grid.shared_bytes, stream_);
  if (code == cudaSuccess) return {};
  return cuda_error(device_, fmt::format("launch {}", name(kernel)).c_str(), code);
}

std::vector<std::string> StreamQueue::notes() const {
  std::vector<std::string> notes;
  if (matmul_ && !matmul_->missing().empty())
    notes.push_back(fmt::format("matmuls use built-in kernels instead of cuBLASLt: {}", matmul_->missing()));
  if (windows_ && !windows_->missing().empty())
    notes.push_back(fmt::format("convolutions use built-in kernels instead of cuDNN: {}", windows_->missing()));
  return notes;
}

}  // namespace arenascope::cuda
