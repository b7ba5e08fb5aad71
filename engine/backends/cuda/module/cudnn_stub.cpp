// SPDX-License-Identifier: MIT
// Replaces cudnn_windows.cpp in builds without cudnn.h: own kernels compute everything.
#include "engine/backends/cuda/module/cudnn_windows.h"

namespace arenascope::cuda {
namespace {

class None final : public CudnnWindows {
 public:
  const std::string& missing() const override { return missing_; }
  bool takes(const LibraryConvolution&) override { return false; }
  bool takes(const LibraryPool&) override { return false; }
  Bytes scratch(const LibraryConvolution&) override { return 0; }
  Status run(const LibraryConvolution&, void*, Bytes, cudaStream_t) override { return Error{missing_}; }
  Status run(const LibraryPool&, cudaStream_t) override { return Error{missing_}; }

 private:
  const std::string missing_ = "this build has no cuDNN support";
};

}  // namespace

std::unique_ptr<CudnnWindows> CudnnWindows::make(int, bool) { return std::make_unique<None>(); }

}  // namespace arenascope::cuda
