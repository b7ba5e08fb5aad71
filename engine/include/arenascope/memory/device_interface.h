// SPDX-License-Identifier: MIT
// The operations that allocators need from a device with streams: memory, events, synchronisation. Implemented by CUDA
// and by the simulated device, so that allocation policies are independent of the device.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/memory/device.h>

#include <cstdint>

namespace arenascope {

using EventHandle = uintptr_t;

// Thread-safe. Implementations select their device inside each call.
class DeviceInterface {
 public:
  virtual ~DeviceInterface() = default;

  virtual Device device() const = 0;

  // Allocates memory aligned to at least 512 bytes. Errors: out of memory, a device error.
  virtual Result<void*> take_memory(Bytes bytes) = 0;
  virtual void give_memory(void* pointer, Bytes bytes) noexcept = 0;

  virtual Result<EventHandle> create_event() = 0;
  virtual void destroy_event(EventHandle event) noexcept = 0;
  // The event captures all work queued on the stream so far; recording it again replaces the captured work.
  virtual Status record_event(EventHandle event, Stream stream) = 0;
  // True if the captured work has completed.
  virtual Result<bool> query_event(EventHandle event) = 0;
  virtual Status wait_event(EventHandle event) = 0;
  // Waits for all streams.
  virtual Status synchronize() = 0;

  // False once the driver has shut down, for example at process exit. No further calls are made then, and remaining
  // resources are left to the driver.
  virtual bool alive() const noexcept { return true; }
};

}  // namespace arenascope
