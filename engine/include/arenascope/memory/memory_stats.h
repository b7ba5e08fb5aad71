// SPDX-License-Identifier: MIT
// What an allocator, or all the blocks of one kind, hold now and have held.
#pragma once
#include <arenascope/base/ids.h>

#include <cstdint>

namespace arenascope {

// reserved = active + cached + what rounding and deferred frees hold back (waste()).
struct MemoryStats {
  Bytes active = 0;         // asked for and not given back yet
  Bytes reserved = 0;       // taken from the system or the device
  Bytes cached = 0;         // reserved, and free to be handed out again
  Bytes peak = 0;           // the highest `active` so far
  Bytes peak_reserved = 0;  // the highest `reserved` so far
  int64_t allocations = 0;
  int64_t frees = 0;
  int64_t hits = 0;    // allocations served from what was reserved already
  int64_t misses = 0;  // allocations that had to reserve more

  // Of borrowed memory nothing is reserved, and nothing wasted.
  Bytes waste() const { return reserved < active ? 0 : reserved - active - cached; }
  // Of two allocators side by side. The peaks are an upper bound: they need not have come at the same time.
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
