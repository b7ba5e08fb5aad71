// SPDX-License-Identifier: MIT
// The CPU backend: kernels for every op, each split into parts that the executor's threads compute side by side.
// At one number of parts the results are the same bit for bit from run to run.
#pragma once
#include <memory>

#include <arenascope/runtime/backend.h>

namespace arenascope::cpu {

struct CpuOptions {
  // Products of float16 weights and many rows round both sides to bf16 where the processor multiplies those sooner: 2^-8 of the
  // sum of |a·b| at most. Else they are computed as float32.
  bool rounds = false;
  // Weights are copied once into the form that their kernels like best; else each lies once, and runs read it as it was given.
  bool packs = true;
  // Packed weights of convolutions of 3×3 take 16/9 of their bytes where Winograd's transform makes them sooner: so many times
  // all of the graph's weights may be taken for that.
  double most_weights = 1.15;
};

// May be used by several executors at once.
std::unique_ptr<Backend> make_cpu_backend(const CpuOptions& options = {});

}  // namespace arenascope::cpu
