// SPDX-License-Identifier: MIT
// The OpenCL backend. Options (all optional): "device" N, "platform" part of a name, "precision" high|normal|low,
// "tuning" none|fast|normal|wide|heavy, "profiling" on|off, "cache" a folder or none, "kernels" fast|plain, "pool"
// bounded|any|separate, "replay" on|off, "memory" buffer|image|auto, "sizes" exact|packed, "power" high|normal|low,
// "export-cache" and "import-cache" files.
#pragma once
#include <arenascope/runtime/backend_module.h>
#include "engine/backends/opencl/pool.h"
#include "engine/backends/opencl/runtime.h"

namespace arenascope::opencl {

std::vector<DeviceStatus> list_devices();

// Errors: an unknown option, and those of Runtime::create(). `faults` is for tests.
Result<std::unique_ptr<Backend>> open_opencl(const BackendOptions& options);
Result<std::unique_ptr<Backend>> open_opencl(const BackendOptions& options, std::shared_ptr<Faults> faults);

}  // namespace arenascope::opencl
