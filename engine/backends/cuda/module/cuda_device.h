// SPDX-License-Identifier: MIT
// A CUDA device as the allocators see it.
#pragma once
#include <arenascope/backends/cuda/module/driver.h>
#include <arenascope/memory/device_interface.h>
#include <arenascope/memory/pinned_memory.h>

#include <atomic>

namespace arenascope::cuda {

class CudaDevice final : public DeviceInterface {
 public:
  explicit CudaDevice(int number) : number_(number) {}

  int number() const { return number_; }
  Device device() const override { return {DeviceType::Cuda, static_cast<int16_t>(number_)}; }
  Result<void*> take_memory(Bytes bytes) override;
  void give_memory(void* pointer, Bytes bytes) noexcept override;
  Result<EventHandle> create_event() override;
  void destroy_event(EventHandle event) noexcept override;
  Status record_event(EventHandle event, Stream stream) override;
  Result<bool> query_event(EventHandle event) override;
  Status wait_event(EventHandle event) override;
  Status synchronize() override;
  bool alive() const noexcept override;

  // Pages for PinnedMemory; its context is the device.
  PinnedMemory::Pages pages();

 private:
  Error failed(const char* action, cudaError_t code) const;

  const int number_;
  mutable std::atomic<bool> gone_{false};
};

}  // namespace arenascope::cuda
