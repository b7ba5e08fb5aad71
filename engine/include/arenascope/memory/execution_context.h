// SPDX-License-Identifier: MIT
// ExecutionContext: the allocators for each device and memory kind. It is an explicit object, not a global; several may
// exist at once. Blocks may outlive it because each keeps its allocator alive.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/memory/allocator.h>
#include <arenascope/memory/kind_ledger.h>
#include <arenascope/memory/memory_block.h>
#include <arenascope/memory/memory_kind.h>
#include <arenascope/memory/restorable_memory.h>

#include <array>
#include <cstddef>
#include <memory>
#include <shared_mutex>
#include <stop_token>
#include <vector>

namespace arenascope {

// The state of the allocator of a memory kind on a device.
struct AllocatorReport {
  Device device;
  MemoryKind kind = MemoryKind::Default;
  MemoryStats stats;
  FreeMemory free;
};

// Thread-safe.
class ExecutionContext {
 public:
  ExecutionContext();
  ~ExecutionContext();
  ExecutionContext(const ExecutionContext&) = delete;
  ExecutionContext& operator=(const ExecutionContext&) = delete;

  // The allocator for `kind` on allocator->device(); a kind without its own uses Default's. An earlier one is replaced
  // (its blocks stay valid). Errors: no allocator, a host kind on a device that is not the CPU.
  Status register_allocator(MemoryKind kind, std::shared_ptr<Allocator> allocator);

  // Allocates a block; 0 bytes give a null BlockPtr. When memory is short, the cached memory of all allocators of the
  // device is released and the request is retried once. Errors: a negative size, an alignment that is not a power of
  // two, a host kind on a device other than the CPU, a device without allocators, out of memory.
  Result<BlockPtr> allocate(Device device, MemoryKind kind, Bytes bytes, size_t alignment = kDefaultAlignment);

  // Wraps bytes of a mapped file as a block of kind Mapped on the CPU: counted, never written to and never freed.
  // `file` keeps the mapping alive. 0 bytes give a null BlockPtr. Errors: a null pointer, a negative size, out of
  // memory.
  Result<BlockPtr> borrow_mapped(const void* data, Bytes bytes, std::shared_ptr<const void> file);

  // Reserves addresses for bytes that `write` can write again: a block of kind Mapped that takes memory, and is counted,
  // only while it is pinned (MemoryPin). Errors: a size that is not positive, the system refuses the addresses.
  Result<BlockPtr> reserve_restorable(Bytes bytes, RestorableMemory::Writer write);

  // The allocator that allocate() would use, or null.
  std::shared_ptr<Allocator> allocator(Device device, MemoryKind kind) const;

  std::vector<Device> devices() const;

  // The current stream of a device, on which work is queued by default; allocate() passes it to the allocator.
  // Initially the default stream.
  Stream current_stream(Device device) const;
  void set_current_stream(Stream stream);

  // Limits the bytes reserved by all allocators of the device in total.
  void set_limit(Device device, Bytes bytes);
  Bytes limit(Device device) const;

  // Statistics of one kind on one device. `active`, `peak` and the counts are those of the context's own blocks;
  // `reserved`, `cached`, hits and misses those of the kind's allocator (an allocator shared by several kinds counts
  // under the first that it was registered for).
  MemoryStats stats(Device device, MemoryKind kind) const;
  // One report for each kind with its own allocator, on every device.
  std::vector<AllocatorReport> allocator_reports() const;
  // The sum over all kinds. Peaks are summed too, so they are an upper bound of the device's peak.
  MemoryStats stats(Device device) const;
  void reset_peaks();

  // Releases the cached memory of the device's allocators. Returns the number of bytes released.
  Bytes release_cached(Device device);

  // Once a stop is requested, allocate() fails, which ends long initialisation between two blocks. The token that is
  // never requested ends that.
  void set_stop(std::stop_token stop);

  // Watches all allocations from now on; null stops it. See AllocationObserver for what it may do.
  void set_observer(std::shared_ptr<AllocationObserver> observer);

 private:
  struct KindEntry {
    std::shared_ptr<Allocator> allocator;
    std::shared_ptr<KindLedger> ledger;
    bool counts_reserve = false;  // the first kind of a shared allocator
  };
  struct DeviceEntry {
    Device device;
    Stream stream;
    std::shared_ptr<MemoryBudget> budget;
    std::array<KindEntry, kMemoryKindCount> kinds;
  };
  const DeviceEntry* find(Device device) const;
  DeviceEntry& find_or_add(Device device);
  MemoryStats stats_locked(const DeviceEntry& entry, MemoryKind kind) const;

  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<DeviceEntry>> devices_;
  std::shared_ptr<ObserverSlot> observer_;
  std::stop_token stop_;
};

// Creates a context for the CPU. Default, Workspace and KVCache memory use caching allocators, one cache each.
// Persistent, HostPinned (ordinary pages if no device can pin them) and HostPageable memory is not cached.
std::shared_ptr<ExecutionContext> make_cpu_context();

}  // namespace arenascope
