// SPDX-License-Identifier: MIT
// The backend's options as values.
#pragma once
#include <arenascope/runtime/backend_module.h>
#include "engine/backends/opencl/pool.h"
#include "engine/backends/opencl/runtime.h"

namespace arenascope::opencl {

// What tensors lie in: buffers, images where there are kernels for them, or what the device is faster with.
enum class MemoryObjects : uint8_t { Buffer, Image, Auto };

// What buffers from the pool are large enough for: the tensor, or MNN's kernels, with or without subgroups.
enum class BufferSizes : uint8_t { Exact, Packed, Subgroups };

// Whether integer dot products are used: where the device's hardware has them, always, never.
enum class DotChoice : uint8_t { Auto, On, Off };

// How much memory may be spent on speed: none, quantised weights unpacked, and scratch and filters of Winograd's transform.
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

// Errors: an option that there is not, or a value that is none of its choices.
Result<Settings> read_settings(const BackendOptions& options);

}  // namespace arenascope::opencl
