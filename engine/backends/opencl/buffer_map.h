// SPDX-License-Identifier: MIT
// OpenCL's buffers behind addresses, so that storages, slices and plans work on them as on any memory. The addresses
// lie where no program has memory; nobody may read or write through them. A slice of a buffer that keeps the device's
// alignment gets a sub-buffer, made when it is first asked for and kept as long as the buffer.
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
    Bytes offset = 0;           // in it
    std::byte* host = nullptr;  // the same place in shared virtual memory; null: it lies elsewhere
  };

  // Takes the buffer over and gives it an address, a multiple of 4096. `host`: where it lies in shared virtual memory; null:
  // elsewhere.
  void* add(MemHandle buffer, Bytes bytes, std::byte* host = nullptr);
  // Forgets the buffer and its sub-buffers, and returns it.
  MemHandle remove(void* address);

  // Where an address lies. Errors: in no buffer.
  Result<Place> find(const void* address) const;
  // The same for the slice [address, address + bytes), as a sub-buffer if it starts at a multiple of `alignment` and
  // is a part of its buffer.
  Result<Place> slice(const void* address, Bytes bytes, Bytes alignment);
  size_t sub_buffers() const;

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
  uintptr_t next_ = uintptr_t{1} << 56;  // beyond what x86-64 and AArch64 give to programs
};

}  // namespace arenascope::opencl
