// SPDX-License-Identifier: MIT
// The backend's options, parsed.
#pragma once
#include <arenascope/runtime/backend_module.h>
#include "engine/backends/opencl/pool.h"
#include "engine/backends/opencl/runtime.h"

namespace arenascope::opencl {

// Storage of tensors: buffers, images where kernels support them, or what is faster on the device.
enum class MemoryObjects : uint8_t { Buffer, Image, Auto };

// Size of pool buffers: exact, or padded for MNN's kernels, without or with subgroups.
enum class BufferSizes : uint8_t { Exact, Packed, Subgroups };

// Use of integer dot products: if the hardware has them, always, never.
enum class DotChoice : uint8_t { Auto, On, Off };

// Extra memory used for speed. Low: none. Normal: dequantised weights. High: also Winograd scratch and transformed filters.
enum class MemoryMode : uint8_t { Low, Normal, High };

struct Settings {
  RuntimeOptions runtime;
  PoolOptions pool;
  bool fast = true;
  MemoryObjects memory = MemoryObjects::Buffer;
  bool replay = true;
  BufferSizes sizes = BufferSizes::Exact;
  MemoryObjects filters = MemoryObjects::Auto;  // of convolutions on images
  MemoryMode mode = MemoryMode::Low;
  DotChoice dot = DotChoice::Auto;
};

// Errors: an unknown option or an invalid value.
Result<Settings> read_settings(const BackendOptions& options);

}  // namespace arenascope::opencl
