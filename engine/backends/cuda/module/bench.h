// SPDX-License-Identifier: MIT
// `bench cuda`, as its module measures a device.
#pragma once
#include <functional>

#include <arenascope/runtime/backend_module.h>
#include "engine/backends/cuda/execution/cuda_backend.h"

namespace arenascope::cuda {

using Tell = std::function<void(const arenascope_measurement&)>;

// `tf32`: as the backend's own option, for the products called directly.
Status bench_device(CudaBackend& backend, bool tf32, bool quick, const Tell& tell);

}  // namespace arenascope::cuda
