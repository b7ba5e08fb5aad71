// SPDX-License-Identifier: MIT
// Maps addresses to OpenCL buffers, so that storages, slices and plans handle them like any memory. The addresses are
// outside the address space of programs and must not be dereferenced. A slice of a buffer that has the device's
// alignment gets a sub-buffer, created on first use and kept as long as the buffer.
#pragma once
#include <map>
#include <mutex>

#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include "engine/backends/opencl/cl.h"

namespace arenascope::opencl {

class BufferMap {
 public:
  struct Place {
    cl_mem buffer = nullptr;
    Bytes offset = 0;           // within the buffer
    std::byte* host = nullptr;  // address in shared virtual memory; null: not in it
  };

  // Takes ownership of the buffer and returns its address, a multiple of 4096. `host`: address in shared virtual
  // memory; null: not in it.
  void* add(MemHandle buffer, Bytes bytes, std::byte* host = nullptr);
  // Removes the buffer and its sub-buffers from the map and returns it.
  MemHandle remove(void* address);

  // The buffer and offset of an address. Errors: not within a buffer.
  Result<Place> find(const void* address) const;
  // The same for the slice [address, address + bytes), as a sub-buffer if it starts at a multiple of `alignment` and is
  // smaller than its buffer.
  Result<Place> slice(const void* address, Bytes bytes, Bytes alignment);

 private:
  struct Entry {
    MemHandle buffer;
    Bytes bytes = 0;
    std::byte* host = nullptr;
    std::map<std::pair<Bytes, Bytes>, MemHandle> parts;  // by offset and size
  };
  std::map<uintptr_t, Entry>::const_iterator locate(uintptr_t address) const;

  mutable std::mutex mutex_;
  std::map<uintptr_t, Entry> entries_;
  uintptr_t next_ = uintptr_t{1} << 56;  // beyond the user address space of x86-64 and AArch64
};

}  // namespace arenascope::opencl
