// SPDX-License-Identifier: MIT
// The measurements of `bench cuda`.
#pragma once
#include <functional>

#include <arenascope/runtime/backend_module.h>
#include "engine/backends/cuda/execution/cuda_backend.h"

namespace arenascope::cuda {

using Report = std::function<void(const arenascope_measurement&)>;

// `tf32`: the backend's option, for direct cuBLASLt calls.
Status bench_device(CudaBackend& backend, bool tf32, bool quick, const Report& report);

}  // namespace arenascope::cuda
