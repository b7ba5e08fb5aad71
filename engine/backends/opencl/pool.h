// SPDX-License-Identifier: MIT
// BufferPool: memory of an OpenCL device as an Allocator. Each block is a buffer of its own; one that is given back is
// kept for a request that it fits without wasting more than a bound, the smallest such block first. (An unbounded pool
// lets a small tensor hold the largest buffer, and the next large one has to be taken from the device again.)
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <arenascope/backends/opencl/runtime.h>
#include <arenascope/memory/allocator.h>

namespace arenascope::opencl {

struct PoolOptions {
  double waste = 1.125;  // a block of at most this many times the request may serve it; infinite: any larger one
  Bytes slack = 4096;    // and always one that is at most this much larger
  bool separate = false; // nothing is reused: every request has a block of its own
  double total_waste = 1.25;  // all blocks together: times the most bytes that lived at once
};

// One block as the window shows it.
struct PoolBlock {
  uintptr_t address = 0;
  Bytes bytes = 0;      // of the buffer
  Bytes requested = 0;  // 0: free
  int64_t uses = 0;     // how many requests it has served
};

class BufferPool final : public Allocator {
 public:
  BufferPool(std::shared_ptr<Runtime> runtime, Device device, PoolOptions options = {});
  ~BufferPool() override;

  Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) override;
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  Bytes release_cached() override;
  Device device() const override { return device_; }
  MemoryStats stats() const override;
  std::vector<PoolBlock> blocks() const;

 private:
  struct Block {
    Bytes bytes = 0;
    Bytes requested = 0;
    int64_t uses = 0;
  };
  Bytes largest_for(Bytes request) const;
  Result<void*> take(Bytes bytes);
  Bytes release_locked();
  void make_room(Bytes bytes);

  std::shared_ptr<Runtime> runtime_;
  Device device_;
  PoolOptions options_;
  mutable std::mutex mutex_;
  std::map<void*, Block> blocks_;
  std::multimap<Bytes, void*> free_;
  MemoryStats stats_;
};

}  // namespace arenascope::opencl
