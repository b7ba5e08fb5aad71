// SPDX-License-Identifier: MIT
// DeviceAllocator: each request goes straight to the device; what streams still use is given back once they passed it.
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
  // Waits for what is deferred; if the driver has gone already it calls nothing.
  ~DeviceAllocator() override;

  Result<void*> allocate(Bytes bytes, size_t alignment = kDefaultAlignment) override;
  Result<void*> allocate_on(Stream stream, Bytes bytes, size_t alignment = kDefaultAlignment) override;
  // Deferred behind the default stream, as nothing better is known.
  void deallocate(void* pointer, Bytes bytes) noexcept override;
  void deallocate_after(void* pointer, Bytes bytes, std::span<const Stream> streams) noexcept override;
  // Waits for what is deferred and gives it back.
  Bytes release_cached() override;
  Device device() const override { return device_->device(); }
  MemoryStats stats() const override;

 private:
  void give(void* pointer, Bytes bytes) noexcept;

  std::shared_ptr<DeviceInterface> device_;
  mutable std::mutex mutex_;
  DeferredFreeQueue deferred_;
  std::vector<std::pair<void*, Bytes>> lost_;  // could not be waited for; tried once more at the end
  MemoryStats stats_;
};

}  // namespace arenascope
