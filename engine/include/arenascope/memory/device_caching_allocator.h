// SPDX-License-Identifier: MIT
// DeviceCachingAllocator: caches the memory of a device with streams. Its decisions know the device only through
// DeviceInterface, so that they are tested on a simulated one.
//
// - Segments are taken from the device, blocks are split from them and merge again (BlockHeap). A free block belongs to
//   the stream that used it last and is reused on that stream at once: work on one stream runs in order.
// - Another stream gets it only after an event, recorded behind the last such use, has passed. Those events (fences)
//   are recorded only when a stream would otherwise need new memory, not at every free.
// - A block that other streams used as well (MemoryBlock::record_stream) waits in a DeferredFreeQueue until they
// passed.
// - A device that is full: what is deferred is waited for, segments that are free are given back, and the request is
//   tried again.
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
  Bytes unit = 512;                // sizes are rounded up to it, and no block is smaller
  Bytes small_limit = 1 << 20;     // requests up to this share segments of
  Bytes small_segment = 2 << 20;   // this size
  Bytes segment_unit = 2 << 20;    // other segments are multiples of this
  double growth = 0.125;           // a segment is at least this part of what is reserved already, as far as
  Bytes growth_limit = 128 << 20;  // this and the device's memory allow
};

// One block as the window shows it.
struct BlockSnapshot {
  enum class State : uint8_t { Active, Deferred, Free };
  uintptr_t address = 0;
  Bytes bytes = 0;
  size_t segment = 0;  // counted from 0 in the order taken
  State state = State::Free;
  Stream stream;  // used it last, or uses it now
};

struct FragmentationStats {
  Bytes reserved = 0;
  Bytes free = 0;
  Bytes largest_free = 0;
  Bytes deferred = 0;
  size_t segments = 0;
  size_t free_blocks = 0;
  // The part of the free memory that one request could not get as a whole: 0 is none.
  double external() const { return free == 0 ? 0 : 1 - static_cast<double>(largest_free) / static_cast<double>(free); }
};

class DeviceCachingAllocator final : public Allocator {
 public:
  explicit DeviceCachingAllocator(std::shared_ptr<DeviceInterface> device, DeviceCachingOptions options = {});
  // Waits for what is deferred and gives all segments back; if the driver has gone already it calls nothing.
  ~DeviceCachingAllocator() override;

  // On the device's default stream.
  Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) override;
  Result<void*> allocate_on(Stream stream, Bytes bytes, size_t alignment = kDefaultAlignment) override;
  // The memory may still be used by work queued on the stream that it was allocated on, and by that alone.
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  void deallocate_after(void* pointer, Bytes bytes, std::span<const Stream> streams) noexcept override;

  // Waits for the device, then gives back every segment that no block uses.
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
  // What happened on one stream: each block given back gets the next ticket, and `fences` tell how far the stream is.
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
