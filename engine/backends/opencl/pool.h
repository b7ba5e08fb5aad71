// SPDX-License-Identifier: MIT
// BufferPool: memory of an OpenCL device as an Allocator. Each block is a buffer of its own; one that is given back is
// kept for a request that it fits without wasting more than a bound, the smallest such block first. (An unbounded pool
// lets a small tensor hold the largest buffer, and the next large one has to be taken from the device again.)
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
  double waste = 1.125;       // a block of at most this many times the request may serve it; infinite: any larger one
  Bytes slack = 4096;         // and always one that is at most this much larger
  bool separate = false;      // nothing is reused: every request has a block of its own
  double total_waste = 1.25;  // all blocks together: times the most bytes that lived at once
  bool stays = false;         // it is for weights
  trace::StorageType storage() const {
    return stays ? trace::StorageType::Static : separate ? trace::StorageType::Separate : trace::StorageType::Dynamic;
  }
};

// What all blocks of one or several pools come to. `reserved` stays at `total_waste` times `peak` at most: a request is
// served by a block that is larger only while what requests waste in their blocks is within that bound, and free blocks
// go before new ones are taken.
struct PoolTotals {
  Bytes active = 0, peak = 0;  // of what was asked for
  Bytes reserved = 0, peak_reserved = 0;
  Bytes wasted = 0;  // by requests that have larger blocks

  bool may_waste(const PoolOptions& options, Bytes request, Bytes block) const;
  bool has_room(const PoolOptions& options, Bytes more) const;
  // `own`: the figures of the pool that serves the request.
  void begin_use(MemoryStats& own, Bytes request, Bytes block);
  void end_use(MemoryStats& own, Bytes request, Bytes block);
  void reserve(Bytes bytes);
};

class BufferPool final : public Allocator {
 public:
  // `totals`: of pools that share one bound; the one that calls them sees to it that it is done by one thread at a
  // time.
  BufferPool(std::shared_ptr<Runtime> runtime, Device device, PoolOptions options = {}, PoolTotals* totals = nullptr);
  ~BufferPool() override;

  Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) override;
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  Bytes release_cached() override;
  Device device() const override { return device_; }
  MemoryStats stats() const override;
  FreeMemory free_memory() const override { return {largest_free(), {}}; }
  std::vector<PoolBlock> blocks() const;
  // Whether a free block serves a request of so many bytes.
  bool serves(Bytes bytes) const;
  // The largest free block's bytes, 0: none; and its release.
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
