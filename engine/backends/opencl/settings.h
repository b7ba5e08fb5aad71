// SPDX-License-Identifier: MIT
// The backend's options as values.
#pragma once
#include <arenascope/runtime/backend_module.h>
#include "engine/backends/opencl/pool.h"
#include "engine/backends/opencl/runtime.h"

namespace arenascope::opencl {

// What tensors lie in: buffers, images where there are kernels for them, or what the device is faster with.
enum class MemoryObjects : uint8_t { Buffer, Image, Auto };

struct Settings {
  RuntimeOptions runtime;
  PoolOptions pool;
  bool fast = true;
  MemoryObjects memory = MemoryObjects::Buffer;
  bool replay = true;
  bool packed_sizes = false;  // buffers are as large as MNN's, with whole vectors of channels, rows and columns
};

// Errors: an option that there is not, or a value that is none of its choices.
Result<Settings> read_settings(const BackendOptions& options);

}  // namespace arenascope::opencl
