// SPDX-License-Identifier: MIT
#include <arenascope/memory/cpu_caching_allocator.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace arenascope {
namespace {

// With AddressSanitizer, memory that is not allocated is poisoned, including the rounding of sizes.
void forbid([[maybe_unused]] const void* p, [[maybe_unused]] Bytes bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_poison_memory_region(p, static_cast<size_t>(bytes));
#endif
}
void permit([[maybe_unused]] const void* p, [[maybe_unused]] Bytes bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(p, static_cast<size_t>(bytes));
#endif
}

constexpr Bytes kLargestRange = Bytes{1} << 38;

}  // namespace

CpuCachingAllocator::CpuCachingAllocator(CpuCachingOptions options)
    : options_(options), range_(std::min(options.capacity > 0 ? options.capacity : physical_memory(), kLargestRange)) {
  options_.slack = std::max(options_.slack, 1.0);
  if (!range_.base()) return;
  try {
    quick_.resize(Classes::count(static_cast<uint64_t>(range_.capacity() / kUnit)));
    quick_used_.reserve(quick_.size());
  } catch (const std::bad_alloc&) {
    quick_.clear();
  }
  // If the metadata of the range cannot be allocated, beyond_ serves all requests.
  [[maybe_unused]] const Status s = heap_.add_segment(range_.base(), range_.capacity(), 0);
}

CpuCachingAllocator::~CpuCachingAllocator() {
  if (high_) permit(reinterpret_cast<void*>(range_.base()), static_cast<Bytes>(high_ - range_.base()));
  range_.visit(range_.base(), range_.used_length(), true,
               [this](uintptr_t address, Bytes bytes) { observe_release(reinterpret_cast<void*>(address), bytes); });
  give_budget(range_.backed_bytes());
}

void CpuCachingAllocator::on_attach(const AllocatorHooks& hooks) { beyond_.attach(hooks); }

Bytes CpuCachingAllocator::rounded(Bytes bytes) {
  return static_cast<Bytes>(Classes::round_up((static_cast<uint64_t>(bytes) + kUnit - 1) / kUnit)) * kUnit;
}

uint64_t CpuCachingAllocator::rounded_units(Bytes bytes) const {
  const uint64_t units = (static_cast<uint64_t>(bytes) + kUnit - 1) / kUnit;
  return options_.power_of_two ? std::bit_ceil(units) : Classes::round_up(units);
}

void CpuCachingAllocator::count_allocation(Bytes bytes, Bytes rounded_bytes) {
  held_ += rounded_bytes;
  stats_.active += bytes;
  stats_.peak = std::max(stats_.peak, stats_.active);
  ++stats_.allocations;
}

Result<void*> CpuCachingAllocator::allocate(Bytes bytes, size_t alignment) {
  if (bytes > 0 && bytes <= range_.capacity() && alignment == kDefaultAlignment) {
    const uint64_t units = rounded_units(bytes);
    const size_t c = Classes::floor(units);
    std::lock_guard lock(lock_);
    if (c < quick_.size() && quick_[c].count > 0) {
      QuickList& list = quick_[c];
      void* pointer = list.items[--list.count];
      const Bytes size = static_cast<Bytes>(units) * kUnit;
      quick_bytes_ -= size;
      count_allocation(bytes, size);
      ++stats_.hits;
      permit(pointer, bytes);
      return pointer;
    }
    return allocate_slow(bytes, static_cast<Bytes>(units) * kUnit, alignment);
  }
  if (Status s = check_request(bytes, alignment); !s) return s.error();
  if (bytes > range_.capacity()) return beyond_.allocate(bytes, alignment);
  std::lock_guard lock(lock_);
  return allocate_slow(bytes, static_cast<Bytes>(rounded_units(bytes)) * kUnit, std::max(alignment, kDefaultAlignment));
}

// The limit of reserved bytes once `upcoming` more bytes are live.
Bytes CpuCachingAllocator::bound(Bytes upcoming) const {
  if (options_.power_of_two) return range_.capacity();
  const Bytes peak = std::max(stats_.peak, stats_.active + upcoming);
  return std::max(options_.floor, static_cast<Bytes>(static_cast<double>(peak) * options_.slack));
}

Result<void*> CpuCachingAllocator::allocate_slow(Bytes bytes, Bytes rounded_bytes, size_t alignment) {
  // If the request certainly exceeds the limit of backed pages, neighbours are merged first.
  const Bytes backed_free = range_.backed_bytes() - held_ - quick_bytes_;
  if (quick_bytes_ > 0 && held_ + quick_bytes_ + std::max(backed_free, rounded_bytes) > bound(bytes)) flush_quick();
  uintptr_t at = heap_.take(0, rounded_bytes, alignment);
  if (!at && quick_bytes_ > 0) {
    flush_quick();
    at = heap_.take(0, rounded_bytes, alignment);
  }
  if (!at) return beyond_.allocate(bytes, alignment);
  Bytes missing = range_.missing(at, rounded_bytes);
  if (missing > 0) {
    if (quick_bytes_ > 0 && range_.backed_bytes() + missing > bound(bytes)) {
      heap_.give(at);
      flush_quick();
      at = heap_.take(0, rounded_bytes, alignment);  // the block freed just before fits at least
      missing = range_.missing(at, rounded_bytes);
    }
    if (const Bytes over = range_.backed_bytes() + missing - bound(bytes); missing > 0 && over > 0) trim(over);
    if (Status s = take_budget(missing); !s) {
      flush_quick();
      trim(range_.backed_bytes());
      if (s = take_budget(missing); !s) {
        heap_.give(at);
        return s.error();
      }
    }
    range_.visit(at, rounded_bytes, false,
                 [this](uintptr_t address, Bytes run) { observe_reserve(reinterpret_cast<void*>(address), run); });
    range_.back(at, rounded_bytes);
    stats_.peak_reserved = std::max(stats_.peak_reserved, range_.backed_bytes());
    ++stats_.misses;
  } else {
    ++stats_.hits;
  }
  count_allocation(bytes, rounded_bytes);
  high_ = std::max(high_, at + static_cast<uintptr_t>(rounded_bytes));
  void* pointer = reinterpret_cast<void*>(at);
  forbid(pointer, rounded_bytes);
  permit(pointer, bytes);
  return pointer;
}

void CpuCachingAllocator::deallocate(void* pointer, Bytes bytes) noexcept {
  if (!pointer) return;
  if (!range_.contains(reinterpret_cast<uintptr_t>(pointer))) return beyond_.deallocate(pointer, bytes);
  const uint64_t units = rounded_units(bytes);
  const size_t c = Classes::floor(units);
  const Bytes size = static_cast<Bytes>(units) * kUnit;
  std::lock_guard lock(lock_);
  assert(heap_.size_at(reinterpret_cast<uintptr_t>(pointer)) == size);
  forbid(pointer, size);
  held_ -= size;
  stats_.active -= bytes;
  ++stats_.frees;
  if (c < quick_.size() && quick_[c].count < quick_[c].items.size()) {
    QuickList& list = quick_[c];
    if (!list.listed) quick_used_.push_back(static_cast<uint32_t>(c));  // within the reserved capacity
    list.listed = 1;
    list.items[list.count++] = pointer;
    quick_bytes_ += size;
    return;
  }
  heap_.give(reinterpret_cast<uintptr_t>(pointer));
}

void CpuCachingAllocator::flush_quick() noexcept {
  for (const uint32_t c : quick_used_) {
    QuickList& list = quick_[c];
    for (; list.count > 0; --list.count) heap_.give(reinterpret_cast<uintptr_t>(list.items[list.count - 1]));
    list.listed = 0;
  }
  quick_used_.clear();
  quick_bytes_ = 0;
}

// Releases pages of free blocks to the system, largest blocks first.
Bytes CpuCachingAllocator::trim(Bytes at_most) noexcept {
  Bytes gone = 0;
  heap_.visit_free(0, [&](uintptr_t address, Bytes bytes) {
    gone += range_.unback(address, bytes, at_most - gone,
                          [this](uintptr_t run, Bytes went) { observe_release(reinterpret_cast<void*>(run), went); });
    return gone < at_most;
  });
  give_budget(gone);
  return gone;
}

Bytes CpuCachingAllocator::release_cached() {
  std::lock_guard lock(lock_);
  flush_quick();
  return trim(range_.backed_bytes());
}

MemoryStats CpuCachingAllocator::stats() const {
  const MemoryStats beyond = beyond_.stats();
  std::lock_guard lock(lock_);
  MemoryStats s = stats_;
  s.reserved = range_.backed_bytes();
  s.cached = range_.backed_bytes() - held_;
  s += beyond;
  return s;
}

FreeMemory CpuCachingAllocator::free_memory() const {
  std::lock_guard lock(lock_);
  // The free end of the range is not backed by pages yet.
  return {std::min(heap_.largest_free(0), range_.backed_bytes() - held_), {}};
}

}  // namespace arenascope
