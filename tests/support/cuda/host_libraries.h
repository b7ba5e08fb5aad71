// SPDX-License-Identifier: MIT
// A substitute for cuBLASLt and cuDNN: plain loops over exactly the problems that these support, so that calls
// to them are tested without them.
#pragma once
#include "engine/backends/cuda/lowering/queue.h"

namespace arenascope::cuda::emulated {

class HostLibraries final : public Libraries {
 public:
  // `refuses`: a problem that was taken is refused when it is run, as a library may find out only then.
  // `fuses`: false, and a convolution with ReLU is refused when it is run.
  explicit HostLibraries(bool present, bool refuses = false, bool fuses = true)
      : present_(present), refuses_(refuses), fuses_(fuses) {}

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
  // True if this call is to be rejected; all later calls are rejected too.
  bool refused() { return refuses_ && (present_ = false, true); }

  bool present_, refuses_, fuses_;
  bool has_refused_relu_ = false;
  int calls_ = 0;
};

}  // namespace arenascope::cuda::emulated
