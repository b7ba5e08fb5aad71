// SPDX-License-Identifier: MIT
// Counts the blocks of one memory kind on one device and notifies the context's observer. Blocks hold a reference, so
// it may outlive the context.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/memory/allocation_observer.h>
#include <arenascope/memory/memory_stats.h>

#include <atomic>
#include <memory>

namespace arenascope {

class KindLedger {
 public:
  KindLedger(Device device, MemoryKind kind, std::shared_ptr<ObserverSlot> observer)
      : device_(device), kind_(kind), observer_(std::move(observer)) {}

  void record_allocate(const void* pointer, Bytes bytes) {
    allocations_.fetch_add(1, std::memory_order_relaxed);
    const Bytes now = active_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    Bytes peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    if (AllocationObserver* o = observer_->get()) o->on_allocate(event(pointer, bytes));
  }

  void record_free(const void* pointer, Bytes bytes) noexcept {
    frees_.fetch_add(1, std::memory_order_relaxed);
    active_.fetch_sub(bytes, std::memory_order_relaxed);
    if (AllocationObserver* o = observer_->get()) o->on_free(event(pointer, bytes));
  }

  // active, peak and the counts; reserved bytes are known only to the allocator.
  MemoryStats stats() const {
    MemoryStats s;
    s.active = active_.load(std::memory_order_relaxed);
    s.peak = peak_.load(std::memory_order_relaxed);
    s.allocations = allocations_.load(std::memory_order_relaxed);
    s.frees = frees_.load(std::memory_order_relaxed);
    return s;
  }

  // Starts a new measurement: the peak becomes the active bytes.
  void reset_peak() { peak_.store(active_.load(std::memory_order_relaxed), std::memory_order_relaxed); }

 private:
  AllocationEvent event(const void* pointer, Bytes bytes) const {
    return {device_, kind_, reinterpret_cast<uintptr_t>(pointer), bytes};
  }

  Device device_;
  MemoryKind kind_;
  std::shared_ptr<ObserverSlot> observer_;
  std::atomic<Bytes> active_{0}, peak_{0};
  std::atomic<int64_t> allocations_{0}, frees_{0};
};

}  // namespace arenascope
