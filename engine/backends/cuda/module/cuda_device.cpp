// SPDX-License-Identifier: MIT
#include <arenascope/backends/cuda/module/cuda_device.h>
#include <fmt/format.h>

namespace arenascope::cuda {
namespace {

cudaStream_t stream_of(Stream stream) {
  return reinterpret_cast<cudaStream_t>(stream.handle);
}
cudaEvent_t event_of(EventHandle event) {
  return reinterpret_cast<cudaEvent_t>(event);
}
bool is_end(cudaError_t code) {
  return code == cudaErrorCudartUnloading || code == cudaErrorContextIsDestroyed;
}

}  // namespace

Error CudaDevice::failed(const char* action, cudaError_t code) const {
  if (is_end(code)) gone_.store(true, std::memory_order_relaxed);
  return cuda_error(number_, action, code);
}

Result<void*> CudaDevice::take_memory(Bytes bytes) {
  const DeviceGuard guard(number_);
  void* memory = nullptr;
  const cudaError_t code =
      guard.status() == cudaSuccess ? cudaMalloc(&memory, static_cast<size_t>(bytes)) : guard.status();
  if (code == cudaSuccess) return memory;
  return failed(fmt::format("allocate {} bytes", bytes).c_str(), code);
}

void CudaDevice::give_memory(void* pointer, Bytes) noexcept {
  if (!alive()) return;
  const DeviceGuard guard(number_);
  if (const cudaError_t code = cudaFree(pointer); is_end(code)) gone_.store(true, std::memory_order_relaxed);
}

Result<EventHandle> CudaDevice::create_event() {
  const DeviceGuard guard(number_);
  cudaEvent_t event = nullptr;
  if (const cudaError_t code = cudaEventCreateWithFlags(&event, cudaEventDisableTiming); code != cudaSuccess)
    return failed("create an event", code);
  return reinterpret_cast<EventHandle>(event);
}

void CudaDevice::destroy_event(EventHandle event) noexcept {
  if (!alive()) return;
  const DeviceGuard guard(number_);
  cudaEventDestroy(event_of(event));
}

Status CudaDevice::record_event(EventHandle event, Stream stream) {
  const DeviceGuard guard(number_);
  const cudaError_t code = cudaEventRecord(event_of(event), stream_of(stream));
  return code == cudaSuccess ? Status() : failed("record an event", code);
}

Result<bool> CudaDevice::query_event(EventHandle event) {
  const DeviceGuard guard(number_);
  const cudaError_t code = cudaEventQuery(event_of(event));
  if (code == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  if (code != cudaSuccess) return failed("ask for an event", code);
  return true;
}

Status CudaDevice::wait_event(EventHandle event) {
  const DeviceGuard guard(number_);
  const cudaError_t code = cudaEventSynchronize(event_of(event));
  return code == cudaSuccess ? Status() : failed("wait for an event", code);
}

Status CudaDevice::synchronize() {
  const DeviceGuard guard(number_);
  const cudaError_t code = cudaDeviceSynchronize();
  return code == cudaSuccess ? Status() : failed("finish its work", code);
}

// At the end of a process the driver may be unloaded before the last tensor.
bool CudaDevice::alive() const noexcept {
  if (gone_.load(std::memory_order_relaxed)) return false;
  int current = 0;
  if (!is_end(cudaGetDevice(&current))) return true;
  gone_.store(true, std::memory_order_relaxed);
  return false;
}

PinnedMemory::Pages CudaDevice::pages() {
  const auto pin = [](void* context, Bytes bytes) -> void* {
    const DeviceGuard guard(static_cast<CudaDevice*>(context)->number());
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, static_cast<size_t>(bytes), cudaHostAllocPortable) == cudaSuccess) return memory;
    cudaGetLastError();
    return nullptr;
  };
  const auto unpin = [](void* context, void* pointer) {
    auto* device = static_cast<CudaDevice*>(context);
    if (!device->alive()) return;
    const DeviceGuard guard(device->number());
    cudaFreeHost(pointer);
  };
  return {pin, unpin, this};
}

}  // namespace arenascope::cuda
