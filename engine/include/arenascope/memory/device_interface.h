// SPDX-License-Identifier: MIT
// The little that allocators need of a device with streams: memory, events, waiting. CUDA and the simulated device
// implement it; everything that decides is written once, above it.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/memory/device.h>

#include <cstdint>

namespace arenascope {

using EventHandle = uintptr_t;

// May be called by several threads at once. Implementations switch to their device inside each call.
class DeviceInterface {
 public:
  virtual ~DeviceInterface() = default;

  virtual Device device() const = 0;

  // Memory aligned to 512 bytes at least, or an error ("out of memory" among them).
  virtual Result<void*> take_memory(Bytes bytes) = 0;
  virtual void give_memory(void* pointer, Bytes bytes) noexcept = 0;

  virtual Result<EventHandle> create_event() = 0;
  virtual void destroy_event(EventHandle event) noexcept = 0;
  // The event stands for all that has been queued on the stream up to now; recording again replaces what it stood for.
  virtual Status record_event(EventHandle event, Stream stream) = 0;
  // Whether all of that is through.
  virtual Result<bool> query_event(EventHandle event) = 0;
  virtual Status wait_event(EventHandle event) = 0;
  // Waits for all streams.
  virtual Status synchronize() = 0;

  // False once the driver has gone (at the end of a process, say): from then on nothing is called any more, and what
  // it still holds is left to it.
  virtual bool alive() const noexcept { return true; }
};

}  // namespace arenascope
