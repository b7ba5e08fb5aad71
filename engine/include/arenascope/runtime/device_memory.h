// SPDX-License-Identifier: MIT
// The memory of a backend's device and copies to and from the host. The defaults suit a backend in host memory.
#pragma once
#include <cstddef>
#include <string>

#include <arenascope/memory/execution_context.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope {

class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  virtual Device device() const = 0;
  virtual std::string description() const = 0;  // human-readable name of the device
  // True if the device computes in the memory of this process, as a CPU does.
  virtual bool in_main_memory() const { return device().is_cpu(); }
  // Registers the allocators of the device with the context.
  virtual Status register_memory(ExecutionContext&) { return {}; }
  // Size of an allocation for one tensor: its bytes plus the padding that kernels need.
  virtual Bytes padded_size(const TensorImpl&, Bytes bytes) const { return bytes; }
  // Allocates an image for a tensor of Placement::Packed. Errors: out of memory, the device has no images.
  virtual Result<Storage> allocate_image(const TensorImpl& tensor, ExecutionContext& context);
  // Allocates the image at `place` again, which a tensor used before and freed. Errors: it no longer exists or is in use.
  virtual Result<Storage> reacquire_image(const std::byte* place, ExecutionContext& context);
  virtual Status upload(const Storage& to, const std::byte* from, Bytes bytes);
  virtual Status download(std::byte* to, const Storage& from, Bytes bytes);
  // Waits for all queued work. Errors: include errors of queued nodes.
  virtual Status synchronize() { return {}; }
};

}  // namespace arenascope
