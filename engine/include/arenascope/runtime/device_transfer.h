// SPDX-License-Identifier: MIT
// Tensors between the host's memory and a backend's. On a backend that runs in host memory these are plain copies.
#pragma once
#include <span>
#include <vector>

#include <arenascope/runtime/backend.h>

namespace arenascope {

// Writes a tensor's contiguous bytes, wherever its storage lies. Errors: another number of bytes, no memory bound, not
// contiguous, what the device reports.
Status write_tensor(DeviceMemory& memory, const TensorImpl& tensor, std::span<const std::byte> bytes);

// A tensor's elements, contiguous in row-major order, whatever its strides. Waits for the device. Errors: no memory
// bound, what the device reports.
Result<std::vector<std::byte>> read_tensor(DeviceMemory& memory, const TensorImpl& tensor);

// Moves tensors whose storages lie in host memory to the backend's device: a block of `kind` each, at the
// backend's alignment; the host's memory is let go. Storages shared by several tensors stay shared. Those that lie on
// the device already stay. Errors: no memory, what the device reports.
Status move_to_device(Backend& backend, ExecutionContext& context, std::span<TensorImpl* const> tensors,
                      MemoryKind kind);

}  // namespace arenascope
