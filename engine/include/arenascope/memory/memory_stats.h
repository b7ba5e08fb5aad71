// SPDX-License-Identifier: MIT
// Memory statistics of an allocator or of all blocks of one kind.
#pragma once
#include <arenascope/base/ids.h>

#include <cstdint>

namespace arenascope {

// reserved = active + cached + waste(), where waste() is due to rounding and deferred frees.
struct MemoryStats {
  Bytes active = 0;         // requested and not freed yet
  Bytes reserved = 0;       // reserved from the system or the device
  Bytes cached = 0;         // reserved and free for reuse
  Bytes peak = 0;           // the highest `active` so far
  Bytes peak_reserved = 0;  // the highest `reserved` so far
  int64_t allocations = 0;
  int64_t frees = 0;
  int64_t hits = 0;    // allocations served from memory that was already reserved
  int64_t misses = 0;  // allocations that had to reserve more

  // 0 for borrowed memory, of which nothing is reserved.
  Bytes waste() const { return reserved < active ? 0 : reserved - active - cached; }
  // Sums the statistics of two allocators. The peaks become upper bounds because they may be from different times.
  MemoryStats& operator+=(const MemoryStats& other) {
    active += other.active;
    reserved += other.reserved;
    cached += other.cached;
    peak += other.peak;
    peak_reserved += other.peak_reserved;
    allocations += other.allocations;
    frees += other.frees;
    hits += other.hits;
    misses += other.misses;
    return *this;
  }
};

}  // namespace arenascope
