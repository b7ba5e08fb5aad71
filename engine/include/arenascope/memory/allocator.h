// SPDX-License-Identifier: MIT
// The interface of everything that hands out memory. Held by shared_ptr: a block keeps its allocator alive.
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

// How much may be reserved on one device by all allocators that share the budget.
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

// What a context gives an allocator at registration, so that its reservations are limited and seen.
struct AllocatorHooks {
  std::shared_ptr<MemoryBudget> budget;
  std::shared_ptr<ObserverSlot> observer;
  MemoryKind kind = MemoryKind::Default;
};

// What of an allocator's free memory is whose.
struct StreamUse {
  Stream stream;
  Bytes free = 0;       // kept for its next requests
  Bytes deferred = 0;   // given back, and not through on the streams that use it, of which this is one
  int64_t pending = 0;  // pieces of that
};
struct FreeMemory {
  Bytes largest = 0;               // what one request could get as a whole
  std::vector<StreamUse> streams;  // of allocators that know any
};

// All members may be called by several threads at once, attach() apart.
class Allocator {
 public:
  virtual ~Allocator() = default;

  // `bytes` > 0, `alignment` a power of two (the memory's address is a multiple of it). Errors: a size or alignment
  // that makes no sense, no memory left, the budget is spent. Never throws, never returns null in a Result that is ok.
  virtual Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) = 0;

  // Memory that will first be used by work on `stream`. Allocators of devices without streams ignore the stream.
  virtual Result<void*> allocate_on(Stream stream, Bytes bytes, size_t alignment = kDefaultAlignment);

  // Takes back what allocate() gave; `bytes` as asked for.
  virtual void deallocate(void* pointer, Bytes bytes) noexcept = 0;

  // Takes it back although work that uses it may still be queued on `streams`: it is not used for anything else before
  // that work is through. Where there are no streams this is deallocate().
  virtual void deallocate_after(void* pointer, Bytes bytes, std::span<const Stream> streams) noexcept;

  // Gives reserved memory that nobody uses back to the system. Returns how much.
  virtual Bytes release_cached() { return 0; }

  virtual Device device() const = 0;
  virtual MemoryStats stats() const = 0;
  virtual FreeMemory free_memory() const { return {}; }

  // Called once, before the first allocation; a second context that registers the same allocator leaves the first
  // one's hooks in place. Returns whether these hooks are now the allocator's.
  bool attach(AllocatorHooks hooks);

 protected:
  // For implementations: take from and give back to the budget, and tell the observer; of an image its size in texels.
  Status take_budget(Bytes bytes) const;
  void give_budget(Bytes bytes) const noexcept;
  void observe_reserve(void* pointer, Bytes bytes, uint32_t width = 0, uint32_t height = 0) const noexcept;
  void observe_release(void* pointer, Bytes bytes) const noexcept;
  // The same sentence everywhere for a request that makes no sense.
  static Status check_request(Bytes bytes, size_t alignment);

  // For implementations that have others to hand the hooks on to.
  virtual void on_attach(const AllocatorHooks&) {}

 private:
  AllocatorHooks hooks_;
  bool attached_ = false;
};

}  // namespace arenascope
