// SPDX-License-Identifier: MIT
// What the backend asks of a device and its driver: streams, events, copies, captured graphs, activity records, beside
// the memory and events that the allocators know. The module implements it with CUDA's runtime, tests with a simulated
// device that runs the same kernels on the host; everything that decides is written once, above it.
#pragma once
#include <arenascope/memory/device_interface.h>
#include <arenascope/memory/pinned_memory.h>
#include "engine/backends/cuda/lowering/queue.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace arenascope::cuda {

using StreamHandle = uintptr_t;
using GraphHandle = uintptr_t;

struct DeviceFacts {
  std::string name;
  int multiprocessors = 1;
  Bytes memory = 0;
};

struct QueueOptions {
  bool libraries = true;  // cuBLASLt and cuDNN
  bool tf32 = false;      // f32 products and convolutions on tensor cores, with 10 bits of fraction
};

enum class Direction : uint8_t { ToDevice, FromDevice };

// What the device did, on the host's clock.
struct Activity {
  uint64_t label = 0;  // under which it was queued
  std::string what;    // the kernel, or the copy
  Nanoseconds queued = 0, begin = 0, end = 0;
  Bytes copied = 0;  // > 0: between host and device
  bool to_device = false;
};

class Driver : public DeviceInterface {
 public:
  virtual const DeviceFacts& facts() const = 0;
  virtual PinnedMemory::Pages pages() = 0;

  // Streams are never given back: blocks that outlive the backend are freed behind events on them.
  virtual Result<StreamHandle> create_stream() = 0;
  virtual Status synchronize_stream(StreamHandle stream) = 0;
  // What is queued on `stream` from now on runs behind what the event stands for now.
  virtual Status stream_waits(StreamHandle stream, EventHandle event) = 0;
  // Both sides' memory stays valid until the copy is through.
  virtual Status copy(StreamHandle stream, void* to, const void* from, Bytes bytes, Direction direction) = 0;
  virtual Status clear(StreamHandle stream, void* at, Bytes bytes) = 0;

  // An event that keeps the time at which it passed.
  virtual Result<EventHandle> create_timer() = 0;
  // From one timer's passing to another's; both have passed.
  virtual Result<Nanoseconds> between(EventHandle first, EventHandle second) = 0;

  // What is queued on the stream in between is not run but becomes a graph.
  virtual Status begin_capture(StreamHandle stream) = 0;
  virtual Result<GraphHandle> end_capture(StreamHandle stream) = 0;
  virtual Status launch_graph(GraphHandle graph, StreamHandle stream) = 0;
  virtual void destroy_graph(GraphHandle graph) noexcept = 0;

  // Kernels and libraries on one stream; the driver outlives it.
  virtual Result<std::unique_ptr<Queue>> make_queue(StreamHandle stream, const QueueOptions& options) = 0;

  // Activity records. False: there are none, the backend puts timers around nodes instead.
  virtual bool keep_activities(bool) { return false; }
  // What is queued from now on is told under this label.
  virtual void label(uint64_t) {}
  // Those of what has passed; `now` is the clock to tell them on.
  virtual std::vector<Activity> take_activities(const std::function<Nanoseconds()>&) { return {}; }

  // What its user may want to know, one sentence each.
  virtual std::vector<std::string> notes() const { return {}; }
};

}  // namespace arenascope::cuda
