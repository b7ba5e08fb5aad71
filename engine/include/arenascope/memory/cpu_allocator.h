// SPDX-License-Identifier: MIT
// CpuAllocator: allocates every request from the system and releases it on free, without caching.
#pragma once
#include <arenascope/memory/allocator.h>

#include <atomic>

namespace arenascope {

// Physical memory of the machine in bytes; larger requests fail immediately.
Bytes physical_memory();

class CpuAllocator final : public Allocator {
 public:
  Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) override;
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  Device device() const override { return {}; }
  MemoryStats stats() const override;

 private:
  std::atomic<Bytes> active_{0}, peak_{0};
  std::atomic<int64_t> allocations_{0}, frees_{0};
};

}  // namespace arenascope
