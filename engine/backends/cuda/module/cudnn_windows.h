// SPDX-License-Identifier: MIT
// Convolutions and pools by cuDNN, which is loaded at run time. An algorithm is selected once per problem.
#pragma once
#include "engine/backends/cuda/lowering/queue.h"
#include "engine/backends/cuda/module/runtime.h"

#include <memory>
#include <string>

namespace arenascope::cuda {

class CudnnWindows {
 public:
  static std::unique_ptr<CudnnWindows> make(int device, bool tf32);
  virtual ~CudnnWindows() = default;

  virtual const std::string& missing() const = 0;
  virtual bool takes(const LibraryConvolution& convolution) = 0;
  virtual bool takes(const LibraryPool& pool) = 0;
  virtual Bytes scratch(const LibraryConvolution& convolution) = 0;
  virtual Status run(const LibraryConvolution& convolution, void* scratch, Bytes bytes, cudaStream_t stream) = 0;
  virtual Status run(const LibraryPool& pool, cudaStream_t stream) = 0;
};

}  // namespace arenascope::cuda
