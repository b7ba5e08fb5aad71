// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/module/stream_queue.h"
#include <fmt/format.h>
#include "engine/backends/cuda/module/kernel_entry.h"

namespace arenascope::cuda {
namespace {

const void* entry(KernelId id) {
  if (const void* found = pointwise_entry(id)) return found;
  if (const void* found = lines_entry(id)) return found;
  return products_entry(id);
}

}  // namespace

StreamQueue::StreamQueue(const Driver& driver, int device, cudaStream_t stream, const QueueOptions& options)
    : driver_(driver), device_(device), stream_(stream) {
  if (!options.libraries) return;
  products_ = std::make_unique<CublasProducts>(device, options.tf32);
  windows_ = CudnnWindows::make(device, options.tf32);
}

// The libraries' own tear-down calls the driver: where that has gone, what they hold is left to it.
StreamQueue::~StreamQueue() {
  if (driver_.alive()) return;
  static_cast<void>(products_.release());
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
  if (products_ && !products_->missing().empty())
    notes.push_back(fmt::format("kernels of our own compute products, without cuBLASLt: {}", products_->missing()));
  if (windows_ && !windows_->missing().empty())
    notes.push_back(fmt::format("kernels of our own compute convolutions, without cuDNN: {}", windows_->missing()));
  return notes;
}

}  // namespace arenascope::cuda
