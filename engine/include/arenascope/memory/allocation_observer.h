// SPDX-License-Identifier: MIT
// Whoever wants to watch memory gives a context an observer; the memory room knows nothing of what it does with it.
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
  uint32_t width = 0, height = 0;  // texels, where it is an image that was reserved
};

// Called on the thread that allocates or frees, sometimes under the allocator's lock: be quick, and do not call back
// into the context. Calls may come from several threads at once.
class AllocationObserver {
 public:
  virtual ~AllocationObserver() = default;
  virtual void on_allocate(const AllocationEvent& event) = 0;  // a block was handed out
  virtual void on_free(const AllocationEvent& event) = 0;      // its last holder let go of it
  virtual void on_reserve(const AllocationEvent& event) = 0;   // an allocator took memory from the system or device
  virtual void on_release(const AllocationEvent& event) = 0;   // and gave it back
};

// The observer of a context: may be changed while others allocate. A replaced one is kept until the slot goes, as
// another thread may be inside it.
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
