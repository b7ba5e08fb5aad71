// SPDX-License-Identifier: MIT
// The CPU backend: kernels for every op, each split into chunks that the executor's threads compute in parallel. With
// the same number of chunks the results are bit-identical from run to run.
#pragma once
#include <memory>

#include <arenascope/runtime/backend.h>

namespace arenascope::cpu {

struct CpuOptions {
  // Matmuls of float16 weights with many rows round both sides to bf16 where the CPU has fast bf16 dot products; the
  // error is at most 2^-8 · Σ |a·b|. Otherwise they are computed in float32.
  bool rounds = false;
  // Weights are copied once into the layout that their kernels prefer; otherwise runs read the given weights.
  bool packs = true;
  // Winograd is faster for 3×3 convolutions, but its transformed weights are 16/9 times as large. Upper limit of the
  // weight memory, as a multiple of the graph's weights.
  double max_weights = 1.15;
};

// The backend may be used by several executors at once.
std::unique_ptr<Backend> make_cpu_backend(const CpuOptions& options = {});

}  // namespace arenascope::cpu
