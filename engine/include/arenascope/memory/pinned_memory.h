// SPDX-License-Identifier: MIT
// Host memory that a device copies from and to without the processor's help. It lies on the cpu, but a copy that was
// queued may still be using it, so that it is cached like a device's: a DeviceCachingAllocator over this interface,
// with the device's own events. Where pages cannot be pinned (a limit, no driver), plain ones take their place.
#pragma once
#include <arenascope/memory/device_interface.h>

#include <memory>
#include <mutex>
#include <unordered_set>

namespace arenascope {

class PinnedMemory final : public DeviceInterface {
 public:
  struct Pages {
    void* (*pin)(void* context, Bytes bytes);  // null: it could not
    void (*unpin)(void* context, void* pointer);
    void* context = nullptr;
  };
  // `streams` is the device whose streams use the memory.
  PinnedMemory(std::shared_ptr<DeviceInterface> streams, Pages pages) : streams_(std::move(streams)), pages_(pages) {}
  ~PinnedMemory() override;  // frees plain pages that were never given back, since the driver had gone

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

  // Bytes that are plain pages because they could not be pinned.
  Bytes unpinned() const;

 private:
  std::shared_ptr<DeviceInterface> streams_;
  Pages pages_;
  mutable std::mutex mutex_;
  std::unordered_set<void*> plain_;
  Bytes plain_bytes_ = 0;
};

}  // namespace arenascope
