// SPDX-License-Identifier: MIT
// A CUDA stream as the Queue of the lowering.
#pragma once
#include "engine/backends/cuda/execution/driver.h"
#include "engine/backends/cuda/module/cublas_matmul.h"
#include "engine/backends/cuda/module/cudnn_windows.h"

namespace arenascope::cuda {

class StreamQueue final : public Queue, private Libraries {
 public:
  // The driver must outlive the queue.
  StreamQueue(const Driver& driver, int device, cudaStream_t stream, const QueueOptions& options);
  ~StreamQueue() override;

  Status launch(KernelId kernel, const Grid& grid, const void* params, size_t bytes) override;
  Libraries& libraries() override { return *this; }
  int multiprocessors() const override { return driver_.facts().multiprocessors; }
  std::vector<std::string> notes() const override;

 private:
  bool takes(const LibraryMatmul& product) override { return matmul_ && matmul_->takes(product); }
  bool takes(const LibraryConvolution& convolution) override { return windows_ && windows_->takes(convolution); }
  bool takes(const LibraryPool& pool) override { return windows_ && windows_->takes(pool); }
  Bytes scratch(const LibraryMatmul&) override { return CublasMatmul::kScratch; }
  Bytes scratch(const LibraryConvolution& convolution) override { return windows_->scratch(convolution); }
  Status run(const LibraryMatmul& product, void* scratch, Bytes bytes) override {
    const DeviceGuard guard(device_);
    return matmul_->run(product, scratch, bytes, stream_);
  }
  Status run(const LibraryConvolution& c, void* scratch, Bytes bytes) override {
    const DeviceGuard guard(device_);
    return windows_->run(c, scratch, bytes, stream_);
  }
  Status run(const LibraryPool& pool) override {
    const DeviceGuard guard(device_);
    return windows_->run(pool, stream_);
  }

  const Driver& driver_;
  const int device_;
  const cudaStream_t stream_;
  std::unique_ptr<CublasMatmul> matmul_;
  std::unique_ptr<CudnnWindows> windows_;
};

}  // namespace arenascope::cuda
