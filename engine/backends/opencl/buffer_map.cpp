// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/buffer_map.h"

#include <fmt/format.h>

namespace arenascope::opencl {
namespace {

constexpr uintptr_t kPage = 4096;

}  // namespace

void* BufferMap::add(MemHandle buffer, Bytes bytes, std::byte* host) {
  std::lock_guard lock(mutex_);
  const uintptr_t address = next_;
  // A page between buffers, so that the end address of one is not the begin of another.
  next_ += (static_cast<uintptr_t>(bytes) + 2 * kPage - 1) / kPage * kPage;
  entries_.emplace(address, Entry{std::move(buffer), bytes, host, {}});
  return reinterpret_cast<void*>(address);
}

MemHandle BufferMap::remove(void* address) {
  std::lock_guard lock(mutex_);
  const auto at = entries_.find(reinterpret_cast<uintptr_t>(address));
  if (at == entries_.end()) return {};
  at->second.parts.clear();
  MemHandle buffer = std::move(at->second.buffer);
  entries_.erase(at);
  return buffer;
}

std::map<uintptr_t, BufferMap::Entry>::const_iterator BufferMap::locate(uintptr_t address) const {
  auto at = entries_.upper_bound(address);
  if (at == entries_.begin()) return entries_.end();
  --at;
  return address - at->first < static_cast<uintptr_t>(at->second.bytes) ? at : entries_.end();
}

Result<BufferMap::Place> BufferMap::find(const void* pointer) const {
  std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const auto at = locate(address);
  if (at == entries_.end()) return Error{fmt::format("address {:#x} is not in a buffer of the device", address)};
  const auto offset = static_cast<Bytes>(address - at->first);
  return Place{at->second.buffer.get(), offset, at->second.host ? at->second.host + offset : nullptr};
}

Result<BufferMap::Place> BufferMap::slice(const void* pointer, Bytes bytes, Bytes alignment) {
  std::lock_guard lock(mutex_);
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const auto found = locate(address);
  if (found == entries_.end()) return Error{fmt::format("address {:#x} is not in a buffer of the device", address)};
  Entry& entry = entries_.find(found->first)->second;
  const Bytes offset = static_cast<Bytes>(address - found->first);
  if (offset % alignment != 0 || bytes <= 0 || bytes > entry.bytes - offset || bytes == entry.bytes)
    return Place{entry.buffer.get(), offset, nullptr};
  MemHandle& part = entry.parts[{offset, bytes}];
  if (!part) {
    const cl_buffer_region region{static_cast<size_t>(offset), static_cast<size_t>(bytes)};
    cl_int code = CL_SUCCESS;
    part = MemHandle(
        clCreateSubBuffer(entry.buffer.get(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
    if (code != CL_SUCCESS) {
      entry.parts.erase({offset, bytes});
      return Place{entry.buffer.get(), offset, nullptr};
    }
  }
  return Place{part.get(), 0, nullptr};
}

}  // namespace arenascope::opencl
