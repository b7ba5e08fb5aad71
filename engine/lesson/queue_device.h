// SPDX-License-Identifier: MIT
// A device for the built-in programs: its streams are queues of real work on the memory of this process. Queued work
// runs when the program requests it, so that a stream can lag by any amount. Each stream is a track of the recording.
#pragma once
#include <arenascope/memory/device_interface.h>
#include <arenascope/trace/recorder.h>

#include <deque>
#include <functional>
#include <map>

namespace arenascope::lesson {

// Not thread-safe.
class QueueDevice final : public DeviceInterface {
 public:
  explicit QueueDevice(trace::Recorder& recorder) : recorder_(recorder) {}

  Stream add_stream(const std::string& name);
  void launch(Stream stream, const std::string& name, std::function<void()> work);
  void run_next(Stream stream);  // runs the oldest queued work item; does nothing if the queue is empty

  Device device() const override { return {}; }
  Result<void*> take_memory(Bytes bytes) override;
  void give_memory(void* pointer, Bytes bytes) noexcept override;
  Result<EventHandle> create_event() override;
  void destroy_event(EventHandle event) noexcept override { events_.erase(event); }
  Status record_event(EventHandle event, Stream stream) override;
  Result<bool> query_event(EventHandle event) override;
  Status wait_event(EventHandle event) override;
  Status synchronize() override;

 private:
  struct Work {
    trace::NameId name;
    std::function<void()> run;
  };
  struct Queue {
    trace::ThreadRing* ring = nullptr;
    std::deque<Work> waiting;
    size_t done = 0;
  };
  struct Event {
    uintptr_t stream = 0;
    size_t preceding = 0;  // number of the stream's work items that precede the event
  };

  trace::Recorder& recorder_;
  std::map<uintptr_t, Queue> queues_;
  std::map<EventHandle, Event> events_;
  EventHandle newest_ = 0;
};

}  // namespace arenascope::lesson
