// SPDX-License-Identifier: MIT
// CpuCachingAllocator: keeps what is given back and hands it out again, with little waste.
//
//   request ─► size class (32 to a doubling: rounding adds less than 1/32, 1.6 % on average)
//           ─► quick list of the class: what was given back last, whole      (the hit that costs nanoseconds)
//           ─► BlockHeap: best fit in one long address range, split; what is given back merges with its neighbours
//           ─► pages of the range that were not backed yet                   (the miss)
//
// What is reserved stays below `slack` times the highest live sum so far: before more pages are backed than that, the
// quick lists are emptied so that neighbours merge, and then pages of free blocks go back to the system. Where the
// system grants no address range, or it is full, requests go to a CpuAllocator.
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
  double slack = 1.19;        // reserved ÷ peak of what is live that is kept without giving pages back; at least 1
  Bytes floor = 256 << 10;    // and this much is always kept
  Bytes capacity = 0;         // addresses to set aside; 0: as much as the machine has memory
  bool power_of_two = false;  // requests are rounded up to powers of two, and nothing goes back before release_cached()
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

  // What a request of `bytes` takes from the range, unless it is rounded to powers of two.
  static Bytes rounded(Bytes bytes);

 private:
  static constexpr Bytes kUnit = 64;
  using Classes = SizeClasses<5>;
  struct alignas(64) QuickList {
    uint32_t count = 0;
    uint32_t listed = 0;  // stands in quick_used_
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
  std::vector<uint32_t> quick_used_;  // lists that may hold something, each once
  Bytes quick_bytes_ = 0;
  Bytes held_ = 0;  // rounded sizes of what is handed out
  uintptr_t high_ = 0;
  MemoryStats stats_;
  CpuAllocator beyond_;
};

}  // namespace arenascope
