// SPDX-License-Identifier: MIT
// BufferPool: device memory of OpenCL as an Allocator. Each block is a separate buffer. A freed block is cached and
// reused for a request that it fits without wasting more than a limit, best fit first. (Without a limit a small tensor
// may hold the largest buffer, and the next large request needs new device memory.)
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <arenascope/memory/allocator.h>
#include <arenascope/runtime/backend.h>
#include "engine/backends/opencl/runtime.h"

namespace arenascope::opencl {

struct PoolOptions {
  double waste =
      1.125;           // a block may serve a request if it is at most this many times larger; infinite: any larger one
  Bytes slack = 4096;  // a block that is at most this much larger may always serve it
  bool separate = false;      // no reuse: every request gets its own block
  double total_waste = 1.25;  // limit of all blocks together, as a factor of the peak of live bytes
  bool stays = false;         // for weights
  trace::StorageType storage() const {
    return stays ? trace::StorageType::Static : separate ? trace::StorageType::Separate : trace::StorageType::Dynamic;
  }
};

// Totals of one or several pools. `reserved` stays below `total_waste` times `peak`: a larger block serves a request
// only while the bytes wasted in all blocks are within that limit, and free blocks are released before new ones are
// allocated.
struct PoolTotals {
  Bytes active = 0, peak = 0;  // requested bytes
  Bytes reserved = 0, peak_reserved = 0;
  Bytes wasted = 0;  // by requests in larger blocks

  bool may_waste(const PoolOptions& options, Bytes request, Bytes block) const;
  bool has_room(const PoolOptions& options, Bytes more) const;
  // `own`: statistics of the pool that serves the request.
  void begin_use(MemoryStats& own, Bytes request, Bytes block);
  void end_use(MemoryStats& own, Bytes request, Bytes block);
  void reserve(Bytes bytes);
};

class BufferPool final : public Allocator {
 public:
  // `totals`: shared by several pools under one limit; the caller must serialise access to these pools.
  BufferPool(std::shared_ptr<Runtime> runtime, Device device, PoolOptions options = {}, PoolTotals* totals = nullptr);
  ~BufferPool() override;

  Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) override;
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  Bytes release_cached() override;
  Device device() const override { return device_; }
  MemoryStats stats() const override;
  FreeMemory free_memory() const override { return {largest_free(), {}}; }
  std::vector<PoolBlock> blocks() const;
  // True if a free block can serve a request of this size.
  bool serves(Bytes bytes) const;
  // Bytes of the largest free block, 0: none; and its release.
  Bytes largest_free() const;
  void release_largest();

 private:
  struct Block {
    Bytes bytes = 0;
    Bytes requested = 0, last = 0;
    int64_t uses = 0;
  };
  std::multimap<Bytes, void*>::const_iterator fit_locked(Bytes bytes) const;
  Result<void*> take(Bytes bytes);
  Bytes release_locked();
  void release_block(std::multimap<Bytes, void*>::iterator at);

  std::shared_ptr<Runtime> runtime_;
  Device device_;
  PoolOptions options_;
  mutable std::mutex mutex_;
  std::map<void*, Block> blocks_;
  std::multimap<Bytes, void*> free_;
  MemoryStats stats_;
  PoolTotals own_totals_;
  PoolTotals* totals_;
};

}  // namespace arenascope::opencl
