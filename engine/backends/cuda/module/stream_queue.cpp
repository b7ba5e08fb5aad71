// SPDX-License-Identifier: MIT
#include <arenascope/backends/cuda/module/kernel_entry.h>
#include <arenascope/backends/cuda/module/stream_queue.h>

namespace arenascope::cuda {
namespace {

const void* entry(KernelId id) {
  if (const void* found = pointwise_entry(id)) return found;
  if (const void* found = lines_entry(id)) return found;
  return products_entry(id);
}

}  // namespace

StreamQueue::StreamQueue(int device, int multiprocessors, cudaStream_t stream, const QueueOptions& options)
    : device_(device), multiprocessors_(multiprocessors), stream_(stream) {
  if (!options.libraries) return;
  products_ = std::make_unique<CublasProducts>(device, options.tf32);
  windows_ = CudnnWindows::make(device, options.tf32);
}

Status StreamQueue::launch(KernelId kernel, const Grid& grid, const void* params, size_t) {
  const DeviceGuard guard(device_);
  void* arguments[] = {const_cast<void*>(params)};
  const cudaError_t code =
      cudaLaunchKernel(entry(kernel), dim3(grid.blocks), dim3(grid.threads), arguments, grid.shared_bytes, stream_);
  return code == cudaSuccess ? Status() : cuda_error(device_, name(kernel), code);
}

std::string StreamQueue::without_cublas() const {
  return products_ ? products_->missing() : "it was switched off";
}
std::string StreamQueue::without_cudnn() const {
  return windows_ ? windows_->missing() : "it was switched off";
}

}  // namespace arenascope::cuda
