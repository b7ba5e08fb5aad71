// SPDX-License-Identifier: MIT
// The CUDA backend without a GPU: the same lowering and the same kernels, run on the host by the emulator, and plain
// loops instead of the libraries. For tests; it is slow.
#pragma once
#include <memory>

#include <arenascope/runtime/backend.h>
#include "support/cuda/emulator.h"

namespace arenascope::cuda::emulated {

struct Options {
  Order order = Order::Forward;
  bool libraries = false;  // matmuls, convolutions and pools that a library supports use the substitute
  int multiprocessors = 2;
  bool refuses = false;  // the substitute accepts the first problem and then fails to run it
  bool fuses = true;     // false: the substitute fails to run a convolution with ReLU
};

class EmulatedBackend : public StatelessBackend {
 public:
  // Runs these nodes in order, chains of them as one kernel. Returns how many chains there were.
  virtual Result<int> run_chained(std::span<const TensorImpl* const> nodes) = 0;
  // Calls to the substitute so far.
  virtual int library_calls() const = 0;
  // Kernels launched so far.
  virtual int kernels() const = 0;
};

std::unique_ptr<EmulatedBackend> make_emulated_backend(const Options& options = {});

}  // namespace arenascope::cuda::emulated
