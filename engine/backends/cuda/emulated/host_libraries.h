// SPDX-License-Identifier: MIT
// Stands in for cuBLASLt and cuDNN: plain loops over exactly the problems that those are given, so that what is handed to
// them is checked without them.
#pragma once
#include <arenascope/backends/cuda/lowering/queue.h>

namespace arenascope::cuda::emulated {

class HostLibraries final : public Libraries {
 public:
  explicit HostLibraries(bool present) : present_(present) {}

  bool takes(const LibraryProduct& product) override;
  bool takes(const LibraryConvolution& convolution) override;
  bool takes(const LibraryPool& pool) override;
  Bytes scratch(const LibraryProduct&) override { return 512; }
  Bytes scratch(const LibraryConvolution&) override { return 1024; }
  Status run(const LibraryProduct& product, void* scratch, Bytes bytes) override;
  Status run(const LibraryConvolution& convolution, void* scratch, Bytes bytes) override;
  Status run(const LibraryPool& pool) override;
  int calls() const { return calls_; }

 private:
  bool present_;
  int calls_ = 0;
};

}  // namespace arenascope::cuda::emulated
