// SPDX-License-Identifier: MIT
// CpuAllocator: each request goes straight to the system and straight back.
#pragma once
#include <arenascope/memory/allocator.h>

#include <atomic>

namespace arenascope {

// How much memory the machine has; requests above that are refused without being tried.
Bytes physical_memory();
// What may still be allocated without pushing others out, by what the system says of the machine and of the group of processes.
Bytes available_memory();

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
