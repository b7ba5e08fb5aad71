// SPDX-License-Identifier: MIT
// Copies of tensors between host memory and the memory of a backend. For a backend in host memory these are plain copies.
#pragma once
#include <span>
#include <vector>

#include <arenascope/runtime/backend.h>

namespace arenascope {

// Writes the bytes of a contiguous tensor in host or device memory. Errors: wrong number of bytes, no memory bound, tensor not
// contiguous, errors that the device reports.
Status write_tensor(DeviceMemory& memory, const TensorImpl& tensor, std::span<const std::byte> bytes);

// Reads the elements of a tensor with any strides, contiguous in row-major order. Waits for the device. Errors: no memory
// bound, errors that the device reports.
Result<std::vector<std::byte>> read_tensor(DeviceMemory& memory, const TensorImpl& tensor);

// Moves tensors from host memory to the backend's device: one block of `kind` per storage, at the backend's alignment. The
// host memory is released. Storages shared by several tensors stay shared. Tensors already on the device are not touched.
// Errors: out of memory, errors that the device reports.
Status move_to_device(Backend& backend, ExecutionContext& context, std::span<TensorImpl* const> tensors,
                      MemoryKind kind);

}  // namespace arenascope
