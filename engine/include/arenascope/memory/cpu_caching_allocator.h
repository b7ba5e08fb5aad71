// SPDX-License-Identifier: MIT
// CpuCachingAllocator: caches freed memory for reuse with little waste.
//
//   request ─► size class (32 per power of two: rounding adds less than 1/32, 1.6 % on average)
//           ─► quick list of the class: recently freed blocks, not merged    (a hit takes nanoseconds)
//           ─► BlockHeap: best fit in one large address range, with splitting; freed blocks merge with neighbours
//           ─► pages of the range that are not backed yet                    (a miss)
//
// Reserved memory stays below `slack` times the peak of live bytes: before more pages are backed than that, the quick
// lists are emptied so that neighbours merge, and then pages of free blocks are released to the system. If the system
// grants no address range, or the range is full, requests are served by a CpuAllocator.
#pragma once
#include <arenascope/memory/allocator.h>
#include <arenascope/memory/block_heap.h>
#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/memory/page_range.h>
#include <arenascope/memory/spin_lock.h>

#include <array>
#include <vector>

namespace arenascope {

struct CpuCachingOptions {
  double slack = 1.19;        // ratio of reserved bytes to the live peak above which pages are released; at least 1
  Bytes floor = 256 << 10;    // reserved bytes that are never released
  Bytes capacity = 0;         // size of the address range; 0: the physical memory of the machine
  bool power_of_two = false;  // requests are rounded up to powers of two, and release_cached() alone releases memory
};

class CpuCachingAllocator final : public Allocator {
 public:
  explicit CpuCachingAllocator(CpuCachingOptions options = {});
  ~CpuCachingAllocator() override;

  Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) override;
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  Bytes release_cached() override;
  Device device() const override { return {}; }
  MemoryStats stats() const override;
  FreeMemory free_memory() const override;

  // The size class of a request in bytes, without `power_of_two`.
  static Bytes rounded(Bytes bytes);

 private:
  static constexpr Bytes kUnit = 64;
  using Classes = SizeClasses<5>;
  struct alignas(64) QuickList {
    uint32_t count = 0;
    uint32_t listed = 0;  // 1: is in quick_used_
    std::array<void*, 7> items;
  };

  void on_attach(const AllocatorHooks& hooks) override;
  Result<void*> allocate_slow(Bytes bytes, Bytes rounded_bytes, size_t alignment);
  uint64_t rounded_units(Bytes bytes) const;
  Bytes bound(Bytes upcoming) const;
  void count_allocation(Bytes bytes, Bytes rounded_bytes);
  void flush_quick() noexcept;
  Bytes trim(Bytes at_most) noexcept;

  CpuCachingOptions options_;
  mutable SpinLock lock_;
  PageRange range_;
  BlockHeap heap_{kUnit};
  std::vector<QuickList> quick_;
  std::vector<uint32_t> quick_used_;  // lists that may be non-empty, each once
  Bytes quick_bytes_ = 0;
  Bytes held_ = 0;  // rounded sizes of the allocated blocks
  uintptr_t high_ = 0;
  MemoryStats stats_;
  CpuAllocator beyond_;
};

}  // namespace arenascope
