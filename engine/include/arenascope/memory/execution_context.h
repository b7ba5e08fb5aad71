// SPDX-License-Identifier: MIT
// ExecutionContext: who allocates what where. An object that somebody makes and passes; two can live side by side.
// Blocks may outlive it: each keeps its own allocator.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/memory/allocator.h>
#include <arenascope/memory/kind_ledger.h>
#include <arenascope/memory/memory_block.h>
#include <arenascope/memory/memory_kind.h>

#include <array>
#include <cstddef>
#include <memory>
#include <shared_mutex>
#include <vector>

namespace arenascope {

// How the allocator of a kind on a device stands.
struct AllocatorReport {
  Device device;
  MemoryKind kind = MemoryKind::Default;
  MemoryStats stats;
  FreeMemory free;
};

// May be used by several threads at once.
class ExecutionContext {
 public:
  ExecutionContext();
  ~ExecutionContext();
  ExecutionContext(const ExecutionContext&) = delete;
  ExecutionContext& operator=(const ExecutionContext&) = delete;

  // The allocator for `kind` on allocator->device(); a kind without its own uses Default's. An earlier one is replaced
  // (its blocks stay valid). Errors: no allocator, a host kind on a device that is not the CPU.
  Status register_allocator(MemoryKind kind, std::shared_ptr<Allocator> allocator);

  // The one way to allocate. 0 bytes give a null BlockPtr and no error. When memory is short, what every allocator of
  // the device keeps in reserve is released and the request is tried once more. Errors: a negative size, an alignment
  // that is no power of two, a host kind on a device that is not the CPU, a device without allocators, no memory.
  Result<BlockPtr> allocate(Device device, MemoryKind kind, Bytes bytes, size_t alignment = kDefaultAlignment);

  // Bytes of a mapped file, as a block of kind Mapped on the CPU: counted, never written to and never freed; `file`
  // keeps them mapped. 0 bytes give a null BlockPtr and no error. Errors: a null pointer, a negative size, no memory.
  Result<BlockPtr> borrow_mapped(const void* data, Bytes bytes, std::shared_ptr<const void> file);

  // The allocator that allocate() would use, or null.
  std::shared_ptr<Allocator> allocator(Device device, MemoryKind kind) const;

  std::vector<Device> devices() const;

  // Work is queued on the current stream of a device unless told otherwise; allocate() hands it to the allocator.
  // The default stream until set.
  Stream current_stream(Device device) const;
  void set_current_stream(Stream stream);

  // All allocators of the device together reserve `bytes` at most from now on.
  void set_limit(Device device, Bytes bytes);
  Bytes limit(Device device) const;

  // Statistics of one kind on one device. `active`, `peak` and the counts are those of the context's own blocks;
  // `reserved`, `cached`, hits and misses those of the kind's allocator (an allocator shared by several kinds counts
  // under the first that it was registered for).
  MemoryStats stats(Device device, MemoryKind kind) const;
  // Of each kind that has an allocator of its own, on every device.
  std::vector<AllocatorReport> allocator_reports() const;
  // The sum over the kinds; the peaks are summed too, so they bound the device's peak from above.
  MemoryStats stats(Device device) const;
  void reset_peaks();

  // Gives back what the allocators of the device keep in reserve. Returns how much.
  Bytes release_cached(Device device);

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
};

// A context for the CPU. Default, Workspace and KVCache memory come from caching allocators, each with its own cache;
// Persistent, HostPinned (plain pages without a device that pins) and HostPageable straight from the system.
std::shared_ptr<ExecutionContext> make_cpu_context();

}  // namespace arenascope
