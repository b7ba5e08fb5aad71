// SPDX-License-Identifier: MIT
// DeviceCachingAllocator: caches the memory of a device with streams. It accesses the device only through
// DeviceInterface, so that it can be tested on a simulated device.
//
// - Segments are allocated from the device; blocks are split from them and merged again (BlockHeap). A free block
// belongs
//   to the stream that last used it and can be reused on that stream at once, because work on a stream runs in order.
// - Another stream may reuse it only after an event recorded after the last use has completed. These events (fences)
// are
//   recorded only when a stream would otherwise need new memory, not at every free.
// - A block that was also used on other streams (MemoryBlock::record_stream) waits in a DeferredFreeQueue until their
//   work has completed.
// - If the device is out of memory, the allocator waits for deferred frees, releases free segments and retries the
//   request.
#pragma once
#include <arenascope/memory/allocator.h>
#include <arenascope/memory/block_heap.h>
#include <arenascope/memory/deferred_free_queue.h>
#include <arenascope/memory/device_interface.h>

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace arenascope {

struct DeviceCachingOptions {
  Bytes unit = 512;                // allocation granularity; sizes are rounded up to it
  Bytes small_limit = 1 << 20;     // requests up to this size share segments of small_segment bytes
  Bytes small_segment = 2 << 20;   // segment size for small requests
  Bytes segment_unit = 2 << 20;    // sizes of other segments are multiples of this
  double growth = 0.125;           // minimum segment size as a fraction of the reserved bytes, limited by
  Bytes growth_limit = 128 << 20;  // this value and the device's memory
};

// The state of one block, for display.
struct BlockSnapshot {
  enum class State : uint8_t { Active, Deferred, Free };
  uintptr_t address = 0;
  Bytes bytes = 0;
  size_t segment = 0;  // index, in the order of allocation
  State state = State::Free;
  Stream stream;  // the current or last user
};

struct FragmentationStats {
  Bytes reserved = 0;
  Bytes free = 0;
  Bytes largest_free = 0;
  Bytes deferred = 0;
  size_t segments = 0;
  size_t free_blocks = 0;
  // External fragmentation: the fraction of the free memory outside the largest free block, in [0, 1].
  double external() const { return free == 0 ? 0 : 1 - static_cast<double>(largest_free) / static_cast<double>(free); }
};

class DeviceCachingAllocator final : public Allocator {
 public:
  explicit DeviceCachingAllocator(std::shared_ptr<DeviceInterface> device, DeviceCachingOptions options = {});
  // Waits for deferred frees and releases all segments. Makes no calls if the driver has already shut down.
  ~DeviceCachingAllocator() override;

  // Allocates on the device's default stream.
  Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) override;
  Result<void*> allocate_on(Stream stream, Bytes bytes, size_t alignment = kDefaultAlignment) override;
  // The memory may still be used by work queued on the stream that it was allocated on, but on no other stream.
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  void deallocate_after(void* pointer, Bytes bytes, std::span<const Stream> streams) noexcept override;

  // Waits for the device, then releases every segment without used blocks.
  Bytes release_cached() override;

  Device device() const override { return device_->device(); }
  MemoryStats stats() const override;
  FreeMemory free_memory() const override;
  FragmentationStats fragmentation() const;
  // All blocks, by segment and address.
  std::vector<BlockSnapshot> snapshot() const;

 private:
  struct Fence {
    EventHandle event;
    BlockHeap::Ticket ticket;
  };
  // The state of one stream: each freed block gets the next ticket, and `fences` show which tickets have completed.
  struct Lane {
    Stream stream;
    BlockHeap::Ticket given = 0;
    BlockHeap::Ticket fenced = 0;
    std::deque<Fence> fences;
  };
  BlockHeap::Owner lane_of(Stream stream);
  void poll_deferred();
  void give_to_heap(void* pointer) noexcept;
  void update_fences(BlockHeap::Owner asking, Bytes bytes);
  uintptr_t take_locked(BlockHeap::Owner owner, Bytes rounded, size_t alignment);
  Status add_segment(BlockHeap::Owner owner, Bytes bytes);
  Status grow(BlockHeap::Owner owner, Bytes rounded, size_t alignment);
  bool settle();
  Bytes release_free_segments();
  Error out_of_memory(Bytes bytes, const Error& cause) const;

  std::shared_ptr<DeviceInterface> device_;
  DeviceCachingOptions options_;
  mutable std::mutex mutex_;
  BlockHeap heap_;
  EventPool events_;
  DeferredFreeQueue deferred_;
  std::vector<Lane> lanes_;
  std::vector<BlockHeap::Ticket> passed_;  // by lane
  std::vector<std::pair<uintptr_t, Bytes>> segments_;
  MemoryStats stats_;
};

}  // namespace arenascope
