// SPDX-License-Identifier: MIT
// The device and driver interface of the backend: streams, events, copies, captured graphs and activity records, in
// addition to the memory and events that allocators use. The module implements it with the CUDA runtime, tests with a
// simulated device that runs the same kernels on the host; all decisions are made above it.
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
  bool tf32 = false;      // f32 matmuls and convolutions on tensor cores, with 10 fraction bits
};

enum class Direction : uint8_t { ToDevice, FromDevice };

// A kernel or copy executed by the device, on the host's clock.
struct Activity {
  uint64_t label = 0;  // label under which it was queued
  std::string what;    // the kernel, or the copy
  Nanoseconds queued = 0, begin = 0, end = 0;
  Bytes copied = 0;  // > 0: between host and device
  bool to_device = false;
};

class Driver : public DeviceInterface {
 public:
  virtual const DeviceFacts& facts() const = 0;
  virtual PinnedMemory::Pages pages() = 0;

  // Streams are never destroyed: blocks that outlive the backend are freed after events on them.
  virtual Result<StreamHandle> create_stream() = 0;
  virtual Status synchronize_stream(StreamHandle stream) = 0;
  // Work queued on `stream` from now on runs after the event's current state.
  virtual Status stream_waits(StreamHandle stream, EventHandle event) = 0;
  // The memory of both sides must stay valid until the copy has finished.
  virtual Status copy(StreamHandle stream, void* to, const void* from, Bytes bytes, Direction direction) = 0;
  virtual Status clear(StreamHandle stream, void* at, Bytes bytes) = 0;

  // An event that records its time. Recorded during a capture it becomes part of the graph, and passes in each replay.
  virtual Result<EventHandle> create_timer() = 0;
  // Time between two timers, both of which have passed.
  virtual Result<Nanoseconds> between(EventHandle first, EventHandle second) = 0;

  // Work queued on the stream in between is not executed but becomes a graph.
  virtual Status begin_capture(StreamHandle stream) = 0;
  virtual Result<GraphHandle> end_capture(StreamHandle stream) = 0;
  // Number of kernels, copies and fills that the current capture contains.
  virtual Result<size_t> captured(StreamHandle stream) = 0;
  virtual Status launch_graph(GraphHandle graph, StreamHandle stream) = 0;
  virtual void destroy_graph(GraphHandle graph) noexcept = 0;

  // Kernels and libraries on one stream; the driver must outlive the queue.
  virtual Result<std::unique_ptr<Queue>> make_queue(StreamHandle stream, const QueueOptions& options) = 0;

  // Enables activity records. False: not available; the backend puts timers around nodes instead.
  virtual bool keep_activities(bool) { return false; }
  // Label of everything queued from now on.
  virtual void label(uint64_t) {}
  // Records of finished work, converted to the clock `now`. Those of a graph bear the label of its launch.
  virtual std::vector<Activity> take_activities(const std::function<Nanoseconds()>&) { return {}; }

  // Notes for the user.
  virtual std::vector<std::string> notes() const { return {}; }
};

}  // namespace arenascope::cuda
