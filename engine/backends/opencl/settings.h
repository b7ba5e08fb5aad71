// SPDX-License-Identifier: MIT
// The backend's options as values.
#pragma once
#include <arenascope/runtime/backend_module.h>
#include "engine/backends/opencl/pool.h"
#include "engine/backends/opencl/runtime.h"

namespace arenascope::opencl {

struct Settings {
  RuntimeOptions runtime;
  PoolOptions pool;
  bool fast = true;
  bool images = false;  // tensors as images where there are kernels for them
  bool replay = true;
};

// Errors: an option that there is not, or a value that is none of its choices.
Result<Settings> read_settings(const BackendOptions& options);

}  // namespace arenascope::opencl
