// SPDX-License-Identifier: MIT
// DeferredFreeQueue: freed memory that is still used by work queued on streams. Entries are kept with one event per
// stream and are released once all their events have completed.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/memory/device_interface.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace arenascope {

// A pool of events for reuse.
class EventPool {
 public:
  explicit EventPool(std::shared_ptr<DeviceInterface> device) : device_(std::move(device)) {}
  ~EventPool();
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;

  // Records an event on the stream.
  Result<EventHandle> record(Stream stream);
  void put_back(EventHandle event) noexcept;

 private:
  std::shared_ptr<DeviceInterface> device_;
  std::vector<EventHandle> spare_;
};

// Not thread-safe; the owning allocator locks.
class DeferredFreeQueue {
 public:
  struct Entry {
    void* pointer = nullptr;
    Bytes bytes = 0;
    size_t waiting = 0;  // streams that have not passed yet; 0: the entry is vacant
  };
  using Release = std::function<void(void*, Bytes)>;

  explicit DeferredFreeQueue(std::shared_ptr<DeviceInterface> device);
  ~DeferredFreeQueue();
  DeferredFreeQueue(const DeferredFreeQueue&) = delete;
  DeferredFreeQueue& operator=(const DeferredFreeQueue&) = delete;

  // Records an event on each stream except `except` and keeps the memory until all events have completed. If that fails
  // (no events, out of memory), waits for the device instead. Without any such stream the result is Passed.
  enum class Pushed { Queued, Passed, Lost };  // Passed: free it now. Lost: the device failed, it must never be reused
  Pushed push(void* pointer, Bytes bytes, std::span<const Stream> streams,
              std::optional<Stream> except = std::nullopt) noexcept;

  // Calls release for all entries whose events have completed. Returns their number.
  size_t poll(const Release& release);
  // Waits for the streams, then releases all entries. On a device error the remaining entries stay queued.
  Status drain(const Release& release);

  size_t pending() const { return pending_; }
  Bytes pending_bytes() const { return pending_bytes_; }
  Bytes lost_bytes() const { return lost_bytes_; }
  bool holds(const void* pointer) const;
  // Calls visit(bytes) for each entry that waits for the stream.
  template <class Visit>
  void visit(Stream stream, Visit&& visit) const {
    for (const Lane& lane : lanes_)
      if (lane.stream == stream)
        for (const Marker& marker : lane.markers) visit(entries_[marker.entry].bytes);
  }

 private:
  struct Marker {
    EventHandle event;
    size_t entry;
  };
  struct Lane {
    Stream stream;
    std::deque<Marker> markers;  // in the stream's order
  };
  Lane& lane(Stream stream);
  void take_back(size_t entry) noexcept;
  bool pass(const Marker& marker, const Release& release);

  std::shared_ptr<DeviceInterface> device_;
  EventPool events_;
  std::vector<Lane> lanes_;
  std::vector<Entry> entries_;
  std::vector<size_t> vacant_;
  size_t pending_ = 0;
  Bytes pending_bytes_ = 0, lost_bytes_ = 0;
};

}  // namespace arenascope
