// SPDX-License-Identifier: MIT
// SimulatedDevice: a device with streams, events and a bounded memory that runs nothing by itself. Work is queued and
// executed only by step() or a wait, so that a test controls the order across streams. It detects work that
// touches memory that other work, of another stream and another allocation, may still be using.
#pragma once
#include <arenascope/memory/block_heap.h>
#include <arenascope/memory/device_interface.h>
#include <arenascope/memory/page_range.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace arenascope {

class SimulatedDevice final : public DeviceInterface {
 public:
  // The memory is real addresses of this process and takes pages only where it is touched.
  explicit SimulatedDevice(Bytes memory, int16_t index = 0);

  Device device() const override { return {DeviceType::Simulated, index_}; }
  Result<void*> take_memory(Bytes bytes) override;
  void give_memory(void* pointer, Bytes bytes) noexcept override;
  Result<EventHandle> create_event() override;
  void destroy_event(EventHandle event) noexcept override;
  Status record_event(EventHandle event, Stream stream) override;
  Result<bool> query_event(EventHandle event) override;
  Status wait_event(EventHandle event) override;
  Status synchronize() override;
  bool alive() const noexcept override;

  Stream create_stream();
  Stream default_stream() const { return {device(), 0}; }

  // A range that a work item reads or writes, and the allocation that it expects there.
  struct Use {
    uintptr_t address = 0;
    Bytes bytes = 0;
    uint64_t allocation = 0;
  };
  void launch(Stream stream, std::span<const Use> uses);
  // Work queued on `stream` from now on runs after all work that is queued on `other` now.
  void wait_for(Stream stream, Stream other);
  // Completes the first work item of the stream; false if nothing is queued, or if it waits for another stream.
  bool step(Stream stream);

  // How often work was queued on memory that unfinished work of another stream, not ordered before it by waits, uses
  // for another allocation, or that the device does not hold; and how often memory was freed while unfinished work used
  // it.
  int64_t hazards() const;
  Bytes used() const;
  int64_t calls_to_take() const;
  size_t live_events() const;

  // From now on alive() is false, and any call counts as a hazard.
  void kill();
  // The next n calls of record_event or create_event fail.
  void fail_events(int n);

 private:
  struct Work {
    std::vector<Use> uses;
    uintptr_t wait_stream = 0;  // a wait for the first wait_count pieces of work of that stream, if wait_count > 0
    uint64_t wait_count = 0;
  };
  struct Queue {
    std::deque<Work> work;
    uint64_t queued = 0, done = 0;         // pieces of work so far; those in `work` are done + 1 to queued
    std::map<uintptr_t, uint64_t> before;  // by other stream: so many of its pieces run before what comes next here
  };
  struct Event {
    uintptr_t stream = 0;
    uint64_t count = 0;  // passed when the stream has done as many
  };
  bool step_locked(uintptr_t stream);
  void run_until(uintptr_t stream, uint64_t count);
  void push(uintptr_t stream, Work work);
  void check_alive() const;

  int16_t index_;
  Bytes memory_;
  mutable std::mutex mutex_;
  PageRange range_;
  BlockHeap heap_{512};
  std::map<uintptr_t, Bytes> taken_;
  std::map<uintptr_t, Queue> streams_;
  std::map<EventHandle, Event> events_;
  uintptr_t next_stream_ = 1;
  EventHandle next_event_ = 1;
  mutable int64_t hazards_ = 0;
  int64_t takes_ = 0;
  int failing_events_ = 0;
  std::atomic<bool> alive_{true};
};

}  // namespace arenascope
