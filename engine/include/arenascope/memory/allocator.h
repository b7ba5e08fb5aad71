// SPDX-License-Identifier: MIT
// The allocator interface. Allocators are held by shared_ptr: a block keeps its allocator alive.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/memory/allocation_observer.h>
#include <arenascope/memory/device.h>
#include <arenascope/memory/memory_stats.h>

#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace arenascope {

inline constexpr size_t kDefaultAlignment = 64;

// Limit of the memory reserved on one device by all allocators that share the budget.
class MemoryBudget {
 public:
  static constexpr Bytes kUnlimited = std::numeric_limits<Bytes>::max();
  void set_limit(Bytes bytes) { limit_.store(bytes, std::memory_order_relaxed); }
  Bytes limit() const { return limit_.load(std::memory_order_relaxed); }
  Bytes used() const { return used_.load(std::memory_order_relaxed); }
  bool take(Bytes bytes);
  void give(Bytes bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<Bytes> limit_{kUnlimited};
  std::atomic<Bytes> used_{0};
};

// Passed by a context to an allocator at registration, so that its reservations are limited and observed.
struct AllocatorHooks {
  std::shared_ptr<MemoryBudget> budget;
  std::shared_ptr<ObserverSlot> observer;
  MemoryKind kind = MemoryKind::Default;
};

// Free memory of an allocator that belongs to one stream.
struct StreamUse {
  Stream stream;
  Bytes free = 0;       // cached for its next requests
  Bytes deferred = 0;   // freed, but still used by queued work on streams that include this one
  int64_t pending = 0;  // number of deferred blocks
};
struct FreeMemory {
  Bytes largest = 0;               // the largest contiguous free block
  std::vector<StreamUse> streams;  // only for allocators with streams
};

// All members except attach() are thread-safe.
class Allocator {
 public:
  virtual ~Allocator() = default;

  // `bytes` > 0; `alignment`, in bytes, is a power of two. Errors: an invalid size or alignment, out of memory, budget
  // exceeded. Never throws; the pointer of a successful Result is not null.
  virtual Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) = 0;

  // Memory that will first be used by work on `stream`. Allocators of devices without streams ignore the stream.
  virtual Result<void*> allocate_on(Stream stream, Bytes bytes, size_t alignment = kDefaultAlignment);

  // Frees memory from allocate(); `bytes` is the requested size.
  virtual void deallocate(void* pointer, Bytes bytes) noexcept = 0;

  // Frees memory that work queued on `streams` may still use: it is not reused before that work has completed. Same as
  // deallocate() on devices without streams.
  virtual void deallocate_after(void* pointer, Bytes bytes, std::span<const Stream> streams) noexcept;

  // Releases unused reserved memory to the system. Returns the number of bytes released.
  virtual Bytes release_cached() { return 0; }

  virtual Device device() const = 0;
  virtual MemoryStats stats() const = 0;
  virtual FreeMemory free_memory() const { return {}; }

  // Called before the first allocation. Only the first call has an effect: a second context that registers the same
  // allocator does not replace the hooks. Returns true if the hooks were attached.
  bool attach(AllocatorHooks hooks);

 protected:
  // For implementations: charge and refund the budget, and notify the observer. `width` and `height` of an image are in
  // texels.
  Status take_budget(Bytes bytes) const;
  void give_budget(Bytes bytes) const noexcept;
  void observe_reserve(void* pointer, Bytes bytes, uint32_t width = 0, uint32_t height = 0) const noexcept;
  void observe_release(void* pointer, Bytes bytes) const noexcept;
  // Validates a request, with the same error message for all allocators.
  static Status check_request(Bytes bytes, size_t alignment);

  // For implementations that forward the hooks to other allocators.
  virtual void on_attach(const AllocatorHooks&) {}

 private:
  AllocatorHooks hooks_;
  bool attached_ = false;
};

}  // namespace arenascope
