// SPDX-License-Identifier: MIT
// Stands in for cuBLASLt and cuDNN: plain loops over exactly the problems that those are given, so that what is handed
// to them is checked without them.
#pragma once
#include "engine/backends/cuda/lowering/queue.h"

namespace arenascope::cuda::emulated {

class HostLibraries final : public Libraries {
 public:
  // `refuses`: a problem that was taken is refused when it is run, as a library may find out only then.
  explicit HostLibraries(bool present, bool refuses = false) : present_(present), refuses_(refuses) {}

  bool takes(const LibraryMatmul& product) override;
  bool takes(const LibraryConvolution& convolution) override;
  bool takes(const LibraryPool& pool) override;
  Bytes scratch(const LibraryMatmul&) override { return 512; }
  Bytes scratch(const LibraryConvolution&) override { return 1024; }
  Status run(const LibraryMatmul& product, void* scratch, Bytes bytes) override;
  Status run(const LibraryConvolution& convolution, void* scratch, Bytes bytes) override;
  Status run(const LibraryPool& pool) override;
  int calls() const { return calls_; }

 private:
  // Whether to refuse what is to be run, and to take nothing from then on.
  bool refused() { return refuses_ && (present_ = false, true); }

  bool present_, refuses_;
  int calls_ = 0;
};

}  // namespace arenascope::cuda::emulated
