// SPDX-License-Identifier: MIT
// DeviceAllocator: allocates every request from the device, without caching. Memory that streams still use is freed
// once their queued work has completed.
#pragma once
#include <arenascope/memory/allocator.h>
#include <arenascope/memory/deferred_free_queue.h>
#include <arenascope/memory/device_interface.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace arenascope {

class DeviceAllocator final : public Allocator {
 public:
  explicit DeviceAllocator(std::shared_ptr<DeviceInterface> device);
  // Waits for deferred frees. Makes no calls if the driver has already shut down.
  ~DeviceAllocator() override;

  Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) override;
  Result<void*> allocate_on(Stream stream, Bytes bytes, size_t alignment = kDefaultAlignment) override;
  // Deferred until the default stream has completed, because the using stream is unknown.
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  void deallocate_after(void* pointer, Bytes bytes, std::span<const Stream> streams) noexcept override;
  // Waits for deferred frees and releases their memory to the device.
  Bytes release_cached() override;
  Device device() const override { return device_->device(); }
  MemoryStats stats() const override;

 private:
  void give(void* pointer, Bytes bytes) noexcept;

  std::shared_ptr<DeviceInterface> device_;
  mutable std::mutex mutex_;
  DeferredFreeQueue deferred_;
  std::vector<std::pair<void*, Bytes>> lost_;  // waiting for them failed; retried in the destructor
  MemoryStats stats_;
};

}  // namespace arenascope
