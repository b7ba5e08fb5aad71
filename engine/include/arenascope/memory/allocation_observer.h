// SPDX-License-Identifier: MIT
// Observer interface for allocations of a context; the memory module does not depend on what the observer does.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/memory/device.h>
#include <arenascope/memory/memory_kind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace arenascope {

struct AllocationEvent {
  Device device;
  MemoryKind kind = MemoryKind::Default;
  uintptr_t address = 0;
  Bytes bytes = 0;
  uint32_t width = 0, height = 0;  // in texels, for a reserved image
};

// Called on the allocating or freeing thread, sometimes under the allocator's lock: implementations must be fast and
// must not call the context. Calls may be concurrent.
class AllocationObserver {
 public:
  virtual ~AllocationObserver() = default;
  virtual void on_allocate(const AllocationEvent& event) = 0;  // a block was allocated
  virtual void on_free(const AllocationEvent& event) = 0;      // the last reference to a block was dropped
  virtual void on_reserve(const AllocationEvent& event) = 0;   // an allocator reserved memory from the system or device
  virtual void on_release(const AllocationEvent& event) = 0;   // an allocator released memory to the system or device
};

// The observer of a context; may be replaced while other threads allocate. A replaced observer is kept alive until the
// slot is destroyed because another thread may be executing it.
class ObserverSlot {
 public:
  void set(std::shared_ptr<AllocationObserver> observer) {
    std::lock_guard lock(mutex_);
    current_.store(observer.get(), std::memory_order_release);
    kept_.push_back(std::move(observer));
  }
  AllocationObserver* get() const { return current_.load(std::memory_order_acquire); }

 private:
  std::atomic<AllocationObserver*> current_{nullptr};
  std::mutex mutex_;
  std::vector<std::shared_ptr<AllocationObserver>> kept_;
};

}  // namespace arenascope
