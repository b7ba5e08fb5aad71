// SPDX-License-Identifier: MIT
// `bench cuda`, as its backend measures itself.
#pragma once
#include "engine/backends/cuda/execution/cuda_backend.h"

namespace arenascope::cuda {

// `tf32`: as the backend's own option, for the products called directly.
Result<std::vector<BenchRow>> bench_device(CudaBackend& backend, bool tf32, bool quick);

}  // namespace arenascope::cuda
