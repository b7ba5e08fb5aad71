// SPDX-License-Identifier: MIT
// Pinned (page-locked) host memory for DMA by a device. It is located on the CPU, but queued copies may still use it
// when it is freed. It is therefore cached like device memory: by a DeviceCachingAllocator over this interface, with
// the device's events. If pages cannot be pinned (a limit, no driver), ordinary pages are used.
#pragma once
#include <arenascope/memory/device_interface.h>

#include <memory>
#include <mutex>
#include <unordered_set>

namespace arenascope {

class PinnedMemory final : public DeviceInterface {
 public:
  struct Pages {
    void* (*pin)(void* context, Bytes bytes);  // returns null on failure
    void (*unpin)(void* context, void* pointer);
    void* context = nullptr;
  };
  // `streams` is the device whose streams use the memory.
  PinnedMemory(std::shared_ptr<DeviceInterface> streams, Pages pages) : streams_(std::move(streams)), pages_(pages) {}
  ~PinnedMemory() override;  // frees ordinary pages that were not freed because the driver had shut down

  Device device() const override { return {}; }
  Result<void*> take_memory(Bytes bytes) override;
  void give_memory(void* pointer, Bytes bytes) noexcept override;
  Result<EventHandle> create_event() override { return streams_->create_event(); }
  void destroy_event(EventHandle event) noexcept override { streams_->destroy_event(event); }
  Status record_event(EventHandle event, Stream stream) override {
    return streams_->record_event(event, Stream{streams_->device(), stream.handle});
  }
  Result<bool> query_event(EventHandle event) override { return streams_->query_event(event); }
  Status wait_event(EventHandle event) override { return streams_->wait_event(event); }
  Status synchronize() override { return streams_->synchronize(); }
  bool alive() const noexcept override { return streams_->alive(); }

  // Bytes of ordinary pages that could not be pinned.
  Bytes unpinned() const;

 private:
  std::shared_ptr<DeviceInterface> streams_;
  Pages pages_;
  mutable std::mutex mutex_;
  std::unordered_set<void*> plain_;
  Bytes plain_bytes_ = 0;
};

}  // namespace arenascope
