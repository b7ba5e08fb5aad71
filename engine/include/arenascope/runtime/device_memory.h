// SPDX-License-Identifier: MIT
// The memory of a backend's device, and copies between it and the host's. The defaults are those of a device that is the
// host.
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
  virtual std::string description() const = 0;  // the device in words
  // Whether what lies in its memory is the process's own, as on a processor.
  virtual bool in_main_memory() const { return device().is_cpu(); }
  // Gives the context the allocators of the device.
  virtual Status register_memory(ExecutionContext&) { return {}; }
  // How much is asked for where a tensor has memory of its own: its bytes, and what kernels want around them.
  virtual Bytes room_for(const TensorImpl&, Bytes bytes) const { return bytes; }
  // Memory for a packed tensor. Errors: no memory, no such tensors.
  virtual Result<Storage> allocate_packed(const TensorImpl& tensor, ExecutionContext& context);
  // All of the memory at `place`, which a packed tensor had before and gave back. Errors: it is gone, or another's by now.
  virtual Result<Storage> reacquire_packed(const std::byte* place, ExecutionContext& context);
  virtual Status upload(const Storage& to, const std::byte* from, Bytes bytes);
  virtual Status download(std::byte* to, const Storage& from, Bytes bytes);
  // Waits for everything queued. Errors: also what nodes that were queued ran into.
  virtual Status synchronize() { return {}; }
};

}  // namespace arenascope
